import type { SealedTransaction } from '../barrier/index.ts';
import type { Login } from '../framework/answer.ts';
import type { Mount } from '../framework/context.ts';
import { badRequest, permissionDenied } from '../framework/errors.ts';
import { newAlias, type Owned, ownedAlias, pointAlias } from './alias.ts';
import { type EntityRecord, newEntity, type Pairs, putEntity } from './entity.ts';
import { membershipOf } from './group.ts';
import { membershipAt } from './group-alias.ts';
import { aliasFactorsKey, GROUPS_REVISION, groupAliasFactorsKey } from './keys.ts';
import { MAX_LOGIN_GROUPS } from './limits.ts';
import { directGroups, isOfMount, withMemberships } from './membership.ts';
import { checkAliasName, checkTold, samePairs } from './texts.ts';

/** What an auth method says of who logs in. */
type Who = Pick<Login, 'alias' | 'aliasMetadata' | 'groups'>;

/** The mount where they log in. */
type At = Pick<Mount, 'accessor'>;

/**
 * The id of the entity that logs in. Where there is none of this alias, entity and alias are made; the alias's metadata
 * becomes that of the login; of the external groups of the mount the entity is in those that the login names, and in no
 * others (known-attacks B3). A login that changes nothing writes nothing here, and two of different entities write nothing in common. 403
 * where the entity is disabled; 400 for a name, metadata or groups that cannot be kept.
 */
export async function admitLogin(tx: SealedTransaction, mount: At, login: Who): Promise<string> {
  const name = checkAliasName('alias', login.alias);
  const metadata = checkTold('alias metadata', login.aliasMetadata);
  const groups = [...new Set(login.groups)];
  if (groups.length > MAX_LOGIN_GROUPS) throw badRequest(`groups: a login brings at most ${MAX_LOGIN_GROUPS}`);
  tx.distant?.prefetch([GROUPS_REVISION]);
  const [pointer, ...groupPointers] = await tx.getMany([
    aliasFactorsKey(tx, mount.accessor, name),
    ...groups.map((group) => groupAliasFactorsKey(tx, mount.accessor, group)),
  ]);
  const known = await ownedAlias(tx, pointer);
  if (known?.entity.disabled) throw permissionDenied();
  const before = known?.entity;
  const present = known === undefined ? await newcomer(tx, mount, name, metadata) : withMetadata(tx, known, metadata);
  const staying = (await directGroups(tx, present)).filter((group) => !isOfMount(group, mount.accessor));
  const named = groupPointers.flatMap((found) => (found === undefined ? [] : [membershipAt(found)]));
  const entity = withMemberships(tx, present, new Set([...staying.map(membershipOf), ...named]));
  if (entity !== before) putEntity(tx, entity);
  return entity.id;
}

/** The id of the entity of this alias; entity and alias are made where there are none. */
export async function aliasEntity(tx: SealedTransaction, accessor: string, alias: string): Promise<string> {
  const name = checkAliasName('entity_alias', alias);
  const known = await ownedAlias(tx, await tx.get(aliasFactorsKey(tx, accessor, name)));
  if (known !== undefined) return known.entity.id;
  const entity = await newcomer(tx, { accessor }, name, []);
  putEntity(tx, entity);
  return entity.id;
}

/** An entity with this alias alone, which the caller stores. */
async function newcomer(tx: SealedTransaction, { accessor }: At, name: string, metadata: Pairs): Promise<EntityRecord> {
  const alias = newAlias(tx, accessor, name, { metadata });
  const entity = await newEntity(tx);
  pointAlias(tx, alias, entity.id);
  return { ...entity, aliases: [alias] };
}

function withMetadata(tx: SealedTransaction, { entity, alias }: Owned, metadata: Pairs): EntityRecord {
  if (samePairs(alias.metadata, metadata)) return entity;
  const told = { ...alias, metadata, updated: tx.now };
  return { ...entity, aliases: entity.aliases.map((one) => (one === alias ? told : one)) };
}
