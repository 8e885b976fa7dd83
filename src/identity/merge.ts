import type { SealedTransaction } from '../barrier/index.ts';
import { badRequest } from '../framework/errors.ts';
import { encodeRecord } from '../framework/record.ts';
import { pointAlias, unpointAlias } from './alias.ts';
import { type AliasRecord, type EntityRecord, findEntities, findEntity, putEntity } from './entity.ts';
import { removalCost, removeEntity } from './entity-changes.ts';
import { type GroupRecord, membershipOf } from './group.ts';
import { mergedKey } from './keys.ts';
import { MAX_ALIASES_OF_ENTITY, MAX_MERGED } from './limits.ts';
import { directGroups, isOfMount, withMemberships } from './membership.ts';

export interface MergeRequest {
  readonly into: string;
  readonly from: readonly string[];
  /** Ids of the aliases that stay, where both have one at a mount. */
  readonly keep: readonly string[];
}

/** Records that the merged entities are made of, together: a transaction touches each about twice. */
const MAX_RECORDS = 400;

/**
 * Makes entities part of one: it gets their aliases and memberships, and their tokens are its own from now on. Policies and
 * metadata stay as they are, and what an entity has by logins at a mount goes with its alias there: so a merge gives nobody
 * the rights of an alias that is dropped (known-attacks B2). 400 for what cannot be merged.
 */
export async function mergeEntities(tx: SealedTransaction, request: MergeRequest): Promise<void> {
  const { into, keep } = request;
  const from = [...new Set(request.from)];
  if (into === '') throw badRequest('to_entity_id: is required');
  if (from.length === 0) throw badRequest('from_entity_ids: is required: give at least one id');
  if (from.includes(into)) throw badRequest('from_entity_ids: must not hold to_entity_id');
  if (from.length > 1 && keep.length > 1) {
    throw badRequest('conflicting_alias_ids_to_keep: conflicts are resolved with one id in from_entity_ids at a time');
  }
  if (from.length > MAX_MERGED) throw badRequest(`from_entity_ids: must have at most ${MAX_MERGED} elements`);
  let entity = await findEntity(tx, into);
  if (entity === undefined) throw badRequest('to_entity_id: there is no entity of this id');
  const others = await findEntities(tx, from);
  if (others.length < from.length) throw badRequest('from_entity_ids: there is no entity of an id that it holds');
  if ([entity, ...others].reduce((sum, one) => sum + removalCost(one), 0) > MAX_RECORDS) {
    throw badRequest('from_entity_ids: these entities have too many aliases and groups for one request: give fewer');
  }
  for (const other of others) entity = await mergeOne(tx, entity, other, keep);
  putEntity(tx, entity);
}

async function mergeOne(
  tx: SealedTransaction,
  to: EntityRecord,
  from: EntityRecord,
  keep: readonly string[],
): Promise<EntityRecord> {
  const dropped = conflicts(to, from, keep);
  const [toGroups, fromGroups] = [await directGroups(tx, to), await directGroups(tx, from)];
  removeEntity(tx, from);
  const moving = from.aliases.filter((alias) => !dropped.has(alias.id)).map((alias) => moved(tx, alias, from.id));
  const staying = to.aliases.filter((alias) => !dropped.has(alias.id));
  const aliases = [...staying, ...moving];
  if (aliases.length > MAX_ALIASES_OF_ENTITY) {
    throw badRequest(`to_entity_id: an entity has at most ${MAX_ALIASES_OF_ENTITY} aliases`);
  }
  for (const alias of to.aliases) if (dropped.has(alias.id)) unpointAlias(tx, alias);
  for (const alias of moving) pointAlias(tx, alias, to.id);
  const merged = [...to.merged, ...from.merged, from.id];
  if (merged.length > MAX_MERGED) {
    throw badRequest(`to_entity_id: at most ${MAX_MERGED} entities can be merged into one`);
  }
  for (const id of [...from.merged, from.id]) tx.put(mergedKey(id), encodeRecord(to.id));
  const groups = [
    ...toGroups.filter((group) => !isByAlias(group, to.aliases, dropped)),
    ...fromGroups.filter((group) => !isByAlias(group, from.aliases, dropped)),
  ];
  return withMemberships(tx, { ...to, aliases, merged, updated: tx.now }, new Set(groups.map(membershipOf)));
}

/** The ids of the aliases that are dropped: of each two at one mount the one that is not to be kept. */
function conflicts(to: EntityRecord, from: EntityRecord, keep: readonly string[]): ReadonlySet<string> {
  const dropped = new Set<string>();
  for (const one of from.aliases) {
    const other = to.aliases.find(({ accessor }) => accessor === one.accessor);
    if (other === undefined) continue;
    if (keep.includes(other.id)) dropped.add(one.id);
    else if (keep.includes(one.id)) dropped.add(other.id);
    else {
      throw badRequest(
        `conflicting_alias_ids_to_keep: the aliases ${other.id} and ${one.id} are of one mount: ` +
          'name the one that stays, with one id in from_entity_ids',
      );
    }
  }
  return dropped;
}

/** Whether an entity is in a group by logins under one of its aliases that are dropped. */
const isByAlias = (group: GroupRecord, aliases: readonly AliasRecord[], dropped: ReadonlySet<string>): boolean =>
  aliases.some(({ id, accessor }) => dropped.has(id) && isOfMount(group, accessor));

const moved = (tx: SealedTransaction, alias: AliasRecord, from: string): AliasRecord => ({
  ...alias,
  mergedFrom: [...alias.mergedFrom, from],
  updated: tx.now,
});
