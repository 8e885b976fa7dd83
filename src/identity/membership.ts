import type { SealedTransaction } from '../barrier/index.ts';
import { badRequest, permissionDenied } from '../framework/errors.ts';
import type { EntityRecord } from './entity.ts';
import type { GroupRecord } from './group.ts';
import { membershipsOf } from './group-graph.ts';
import { memberKey } from './keys.ts';
import { MAX_DIRECT_GROUPS } from './limits.ts';

/** A member is found by its group under a key of its own, so that two who join one group write nothing in common. */
const MEMBER = Buffer.alloc(0);

/**
 * The entity with these memberships and no others, which the caller stores; the same object where it is so already. 400
 * where they are too many.
 */
export function withMemberships(
  tx: SealedTransaction,
  entity: EntityRecord,
  memberships: ReadonlySet<string>,
): EntityRecord {
  if (memberships.size > MAX_DIRECT_GROUPS) {
    throw badRequest(`groups: an entity is a direct member of at most ${MAX_DIRECT_GROUPS}`);
  }
  const before = new Set(entity.memberships);
  const left = entity.memberships.filter((one) => !memberships.has(one));
  const joined = [...memberships].filter((one) => !before.has(one));
  if (left.length === 0 && joined.length === 0) return entity;
  for (const one of left) tx.delete(memberKey(one, entity.id));
  for (const one of joined) tx.put(memberKey(one, entity.id), MEMBER);
  return { ...entity, memberships: [...memberships].sort() };
}

/** The groups that an entity is a direct member of. 403 where they are more than can be told. */
export async function directGroups(tx: SealedTransaction, entity: EntityRecord): Promise<readonly GroupRecord[]> {
  const memberships = await membershipsOf(tx, entity);
  if (memberships === undefined) throw permissionDenied();
  return memberships.direct;
}

/** Whether entities join and leave a group by their logins at this mount. */
export const isOfMount = ({ alias }: GroupRecord, accessor: string): boolean => alias?.accessor === accessor;
