import type { SealedTransaction } from '../barrier/index.ts';
import { badRequest } from '../framework/errors.ts';
import type { EntityRecord } from './entity.ts';
import { memberKey } from './keys.ts';
import { MAX_GROUPS_OF_ENTITY } from './limits.ts';

/** A member is found by its group under a key of its own, so that two who join one group write nothing in common. */
const MEMBER = Buffer.alloc(0);

/**
 * The entity as a direct member of these groups and no others, which the caller stores; the same object where it is so
 * already. 400 where they are too many.
 */
export function withGroups(tx: SealedTransaction, entity: EntityRecord, groups: ReadonlySet<string>): EntityRecord {
  if (groups.size > MAX_GROUPS_OF_ENTITY) {
    throw badRequest(`groups: an entity is a member of at most ${MAX_GROUPS_OF_ENTITY} groups`);
  }
  const before = new Set(entity.groups);
  const left = entity.groups.filter((id) => !groups.has(id));
  const joined = [...groups].filter((id) => !before.has(id));
  if (left.length === 0 && joined.length === 0) return entity;
  for (const id of left) tx.delete(memberKey(id, entity.id));
  for (const id of joined) tx.put(memberKey(id, entity.id), MEMBER);
  return { ...entity, groups: [...groups].sort() };
}
