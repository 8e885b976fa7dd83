import type { SealedTransaction } from '../barrier/index.ts';
import { badRequest } from '../framework/errors.ts';
import { findEntities, putEntity } from './entity.ts';
import { findGroups, type GroupRecord, membershipOf, putGroup } from './group.ts';
import { membersFolder } from './keys.ts';
import { MAX_GROUPS_ABOVE, MAX_MEMBER_CHANGES, MAX_MEMBER_GROUPS, MAX_MEMBERS, MAX_PARENT_GROUPS } from './limits.ts';
import { withMemberships } from './membership.ts';

/** The ids of the entities that are direct members of a group, sorted; at most `limit`. */
export const memberEntities = async (
  tx: SealedTransaction,
  group: GroupRecord,
  limit = MAX_MEMBERS,
): Promise<readonly string[]> => tx.list({ prefix: membersFolder(membershipOf(group)), after: '', limit });

/**
 * Makes these entities, and no others, the direct members of an internal group; the number of those that come or go. 400
 * for ids that there are not.
 */
export async function setMemberEntities(
  tx: SealedTransaction,
  group: GroupRecord,
  ids: readonly string[],
): Promise<number> {
  const wanted = new Set(ids);
  if (wanted.size > MAX_MEMBERS) throw badRequest(`member_entity_ids: must have at most ${MAX_MEMBERS} elements`);
  const before = new Set(await memberEntities(tx, group));
  const joining = [...wanted].filter((id) => !before.has(id));
  const leaving = [...before].filter((id) => !wanted.has(id));
  const changes = joining.length + leaving.length;
  refuseMany('member_entity_ids', changes);
  const entities = await findEntities(tx, [...joining, ...leaving]);
  const found = new Set(entities.map(({ id }) => id));
  if (joining.some((id) => !found.has(id))) {
    throw badRequest('member_entity_ids: there is no entity of an id that it holds');
  }
  const membership = membershipOf(group);
  for (const entity of entities) {
    const memberships = new Set(entity.memberships);
    if (wanted.has(entity.id)) memberships.add(membership);
    else memberships.delete(membership);
    putEntity(tx, withMemberships(tx, entity, memberships));
  }
  return changes;
}

/** A transaction touches at most 1,000 keys, and each member that comes or goes takes three. */
function refuseMany(field: string, changes: number): void {
  if (changes <= MAX_MEMBER_CHANGES) return;
  throw badRequest(`${field}: one write changes at most ${MAX_MEMBER_CHANGES} members in all: give them in steps`);
}

/**
 * Makes these groups, and no others, the members of a group, and gives it as it is then, for the caller to store.
 * @param changes members that come or go besides, in the same transaction
 */
export async function setMemberGroups(
  tx: SealedTransaction,
  group: GroupRecord,
  ids: readonly string[],
  changes: number,
): Promise<GroupRecord> {
  const wanted = new Set(ids);
  if (wanted.size > MAX_MEMBER_GROUPS) {
    throw badRequest(`member_group_ids: must have at most ${MAX_MEMBER_GROUPS} elements`);
  }
  if (wanted.has(group.id)) throw badRequest('member_group_ids: a group is no member of itself');
  const before = new Set(group.members);
  const joining = [...wanted].filter((id) => !before.has(id));
  const leaving = group.members.filter((id) => !wanted.has(id));
  refuseMany('member_group_ids', changes + joining.length + leaving.length);
  const newcomers = await findGroups(tx, joining);
  if (newcomers.length < joining.length) {
    throw badRequest('member_group_ids: there is no group of an id that it holds');
  }
  if (newcomers.some(({ parents }) => parents.length >= MAX_PARENT_GROUPS)) {
    throw badRequest(`member_group_ids: a group is itself a member of at most ${MAX_PARENT_GROUPS} groups`);
  }
  const above = joining.length === 0 ? new Set<string>() : await groupsAbove(tx, group);
  if (joining.some((id) => above.has(id))) throw badRequest('member_group_ids: groups must not be members in a circle');
  for (const member of newcomers) putGroup(tx, { ...member, parents: [...member.parents, group.id] });
  for (const member of await findGroups(tx, leaving)) {
    putGroup(tx, { ...member, parents: member.parents.filter((id) => id !== group.id) });
  }
  return { ...group, members: [...wanted].sort() };
}

/** The ids of the groups that a group is in, directly or through others. 400 where they are too many. */
async function groupsAbove(tx: SealedTransaction, group: GroupRecord): Promise<ReadonlySet<string>> {
  const above = new Set<string>();
  for (let level: readonly string[] = group.parents; level.length > 0; ) {
    for (const id of level) above.add(id);
    if (above.size >= MAX_GROUPS_ABOVE) {
      throw badRequest(
        `member_group_ids: a group is in at most ${MAX_GROUPS_ABOVE} groups, directly or through others`,
      );
    }
    const parents = (await findGroups(tx, level)).flatMap((one) => one.parents);
    level = [...new Set(parents)].filter((id) => !above.has(id));
  }
  return above;
}
