import type { SealedTransaction } from '../barrier/index.ts';
import { badRequest } from '../framework/errors.ts';
import { foldCase } from '../framework/fold-case.ts';
import { aliasByFactors, aliasById, newAlias, type Owned, pointAlias, unpointAlias } from './alias.ts';
import { type AliasRecord, type EntityRecord, findEntity, newEntity, type Pairs, putEntity } from './entity.ts';
import { membershipOf } from './group.ts';
import { MAX_ALIASES_OF_ENTITY } from './limits.ts';
import { directGroups, isOfMount, withMemberships } from './membership.ts';
import { samePairs } from './texts.ts';

/** What is written of an alias; "" and undefined stay as they are. */
export interface AliasChanges {
  readonly name: string;
  /** Of the mount. */
  readonly accessor: string;
  /** Of the entity. */
  readonly canonicalId: string;
  readonly customMetadata: Pairs | undefined;
}

/** Which accessors are of a mount. */
export type IsMounted = (accessor: string) => boolean;

/**
 * Changes the alias of an id, or else of the name at the mount, or else makes one, with an entity where none is named.
 * Undefined where nothing changes. 400 for what there is not, and for a second alias of an entity at one mount (A6).
 */
export async function writeAlias(
  tx: SealedTransaction,
  id: string,
  changes: AliasChanges,
  isMounted: IsMounted,
): Promise<Owned | undefined> {
  const { accessor, name } = changes;
  if (id !== '') {
    const known = await aliasById(tx, id);
    if (known === undefined) throw badRequest('id: there is no alias of this id');
    return changeAlias(tx, known, changes, isMounted);
  }
  if (name === '') throw badRequest('name: is required, where no id is given');
  if (accessor === '') throw badRequest('mount_accessor: is required, where no id is given');
  if (!isMounted(accessor)) throw noMount();
  const known = await aliasByFactors(tx, accessor, name);
  return known === undefined ? createAlias(tx, changes) : changeAlias(tx, known, changes, isMounted);
}

async function createAlias(tx: SealedTransaction, changes: AliasChanges): Promise<Owned> {
  const { accessor, name, canonicalId, customMetadata = [] } = changes;
  const entity = canonicalId === '' ? await newEntity(tx) : await entityOf(tx, canonicalId);
  refuseSecond(entity, accessor);
  const alias = newAlias(tx, accessor, name, { customMetadata });
  return putOwned(tx, entity, alias);
}

async function changeAlias(
  tx: SealedTransaction,
  { entity: from, alias: before }: Owned,
  changes: AliasChanges,
  isMounted: IsMounted,
): Promise<Owned | undefined> {
  const changed: AliasRecord = {
    ...before,
    name: changes.name || before.name,
    accessor: changes.accessor || before.accessor,
    customMetadata: changes.customMetadata ?? before.customMetadata,
    updated: tx.now,
  };
  const entityId = changes.canonicalId || from.id;
  const { name, accessor, customMetadata } = changed;
  const moves = entityId !== from.id || accessor !== before.accessor;
  if (!moves && name === before.name && samePairs(customMetadata, before.customMetadata)) return undefined;
  if (accessor !== before.accessor && !isMounted(accessor)) throw noMount();
  // Somebody else at a mount: what the one before was let into is nothing to them.
  const another = accessor !== before.accessor || foldCase(name) !== foldCase(before.name);
  if (another) {
    const other = await aliasByFactors(tx, accessor, name);
    if (other !== undefined) throw badRequest('name: another alias at this mount has this name');
  }
  const rest = await withoutAlias(tx, { entity: from, alias: before }, moves || another);
  if (entityId === from.id) {
    if (moves) refuseSecond(rest, accessor);
    return putOwned(tx, rest, changed);
  }
  const entity = await entityOf(tx, entityId);
  refuseSecond(entity, accessor);
  putEntity(tx, rest);
  return putOwned(tx, entity, changed);
}

/** Removes an alias, with the memberships that its entity had by it. */
export async function removeAlias(tx: SealedTransaction, owned: Owned): Promise<void> {
  putEntity(tx, await withoutAlias(tx, owned, true));
}

/**
 * The entity without an alias, which the caller stores. Where the alias leaves it, so does what it had by logins at the
 * alias's mount: the external groups of that mount.
 */
export async function withoutAlias(
  tx: SealedTransaction,
  { entity, alias }: Owned,
  leaves: boolean,
): Promise<EntityRecord> {
  unpointAlias(tx, alias);
  const bare = { ...entity, aliases: entity.aliases.filter(({ id }) => id !== alias.id), updated: tx.now };
  if (!leaves || entity.memberships.length === 0) return bare;
  const staying = (await directGroups(tx, entity)).filter((group) => !isOfMount(group, alias.accessor));
  return withMemberships(tx, bare, new Set(staying.map(membershipOf)));
}

function putOwned(tx: SealedTransaction, bare: EntityRecord, alias: AliasRecord): Owned {
  if (bare.aliases.length >= MAX_ALIASES_OF_ENTITY) {
    throw badRequest(`canonical_id: an entity has at most ${MAX_ALIASES_OF_ENTITY} aliases`);
  }
  const entity = { ...bare, aliases: [...bare.aliases, alias] };
  pointAlias(tx, alias, entity.id);
  putEntity(tx, entity);
  return { entity, alias };
}

async function entityOf(tx: SealedTransaction, id: string): Promise<EntityRecord> {
  const entity = await findEntity(tx, id);
  if (entity === undefined) throw badRequest('canonical_id: there is no entity of this id');
  return entity;
}

/** A template that names a mount means one alias: an entity has one at each mount (known-attacks A6). */
function refuseSecond({ aliases }: EntityRecord, accessor: string): void {
  if (aliases.some((alias) => alias.accessor === accessor)) {
    throw badRequest('mount_accessor: the entity has an alias at this mount already');
  }
}

const noMount = () => badRequest('mount_accessor: invalid mount accessor: there is no mount of it');
