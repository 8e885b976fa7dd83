import type { SealedTransaction } from '../barrier/index.ts';
import { addPurge } from '../core/job.ts';
import { uuidOf } from '../core/uuid.ts';
import { badRequest } from '../framework/errors.ts';
import { encodeRecord } from '../framework/record.ts';
import { freeName, type Pairs } from './entity.ts';
import {
  changeGroups,
  findGroup,
  findGroups,
  type GroupRecord,
  groupByName,
  groupKey,
  membershipOf,
  putGroup,
  storeGroup,
} from './group.ts';
import { unpointGroupAlias } from './group-alias.ts';
import { setMemberEntities, setMemberGroups } from './group-members.ts';
import { groupNameKey, membersFolder } from './keys.ts';

/** What is written of a group; undefined stays as it is. */
export interface GroupChanges {
  readonly name: string | undefined;
  readonly type: 'internal' | 'external' | undefined;
  readonly metadata: Pairs | undefined;
  readonly policies: readonly string[] | undefined;
  readonly memberGroupIds: readonly string[] | undefined;
  readonly memberEntityIds: readonly string[] | undefined;
}

/**
 * Changes the group of an id, or else of the name, or else makes one. Gives it where it is new. 400 for an id that there is
 * not, a name that another has, another type, members of an external group, and for groups in a circle.
 */
export async function writeGroup(
  tx: SealedTransaction,
  id: string,
  changes: GroupChanges,
): Promise<GroupRecord | undefined> {
  const { name, type } = changes;
  const named = name === undefined ? undefined : await groupByName(tx, name);
  const known = id === '' ? named : await findGroup(tx, id);
  if (id !== '' && known === undefined) throw badRequest('id: there is no group of this id');
  if (named !== undefined && named.id !== known?.id) throw badRequest('name: another group has this name');
  if (known !== undefined && type !== undefined && type !== known.type) {
    throw badRequest('type: group type cannot be changed: make another group');
  }
  const before = known ?? (await newGroup(tx, name, type));
  if (before.type === 'external') refuseMembers(changes);
  const changed: GroupRecord = {
    ...before,
    name: name ?? before.name,
    metadata: changes.metadata ?? before.metadata,
    policies: changes.policies ?? before.policies,
    updated: tx.now,
    modified: before.modified + 1,
  };
  if (known !== undefined && changed.name !== known.name) {
    tx.delete(groupNameKey(known.name));
    tx.put(groupNameKey(changed.name), encodeRecord(changed.id));
  }
  const { memberEntityIds, memberGroupIds } = changes;
  const count = memberEntityIds === undefined ? 0 : await setMemberEntities(tx, changed, memberEntityIds);
  const group = memberGroupIds === undefined ? changed : await setMemberGroups(tx, changed, memberGroupIds, count);
  // Who is a member stands in the members' own records, so a change of these is no change of what the group gives.
  const same = changes.name === undefined && changes.metadata === undefined && changes.policies === undefined;
  if (known !== undefined && same) storeGroup(tx, group);
  else putGroup(tx, group);
  return known === undefined ? group : undefined;
}

export async function newGroup(
  tx: SealedTransaction,
  name: string | undefined,
  type: GroupRecord['type'] = 'internal',
): Promise<GroupRecord> {
  const id = uuidOf(tx.random(16));
  const named = name ?? (await freeName(tx, 'group', groupNameKey));
  tx.put(groupNameKey(named), encodeRecord(id));
  const nothing = { metadata: [], policies: [], parents: [], members: [] };
  return { id, name: named, type, ...nothing, epoch: 0, created: tx.now, updated: tx.now, modified: 0 };
}

function refuseMembers({ memberEntityIds = [], memberGroupIds = [] }: GroupChanges): void {
  if (memberEntityIds.length > 0)
    throw badRequest('member_entity_ids: of an external group come and go with their logins');
  if (memberGroupIds.length > 0) throw badRequest('member_group_ids: an external group has none');
}

/** Removes a group; its members have lost its policies with this transaction, and their list goes in the background. */
export async function removeGroup(tx: SealedTransaction, group: GroupRecord): Promise<void> {
  const { id, name, alias } = group;
  for (const parent of await findGroups(tx, group.parents)) {
    storeGroup(tx, { ...parent, members: parent.members.filter((member) => member !== id) });
  }
  for (const member of await findGroups(tx, group.members)) {
    storeGroup(tx, { ...member, parents: member.parents.filter((parent) => parent !== id) });
  }
  if (alias !== undefined) unpointGroupAlias(tx, alias);
  tx.delete(groupKey(id));
  tx.delete(groupNameKey(name));
  addPurge(tx, membersFolder(membershipOf(group)));
  changeGroups(tx);
}
