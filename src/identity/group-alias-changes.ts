import type { SealedTransaction } from '../barrier/index.ts';
import { addPurge } from '../core/job.ts';
import { uuidOf } from '../core/uuid.ts';
import { badRequest } from '../framework/errors.ts';
import { foldCase } from '../framework/fold-case.ts';
import type { AliasChanges, IsMounted } from './alias-changes.ts';
import { findGroup, type GroupAliasRecord, type GroupRecord, membershipOf, putGroup } from './group.ts';
import {
  groupAliasByFactors,
  groupAliasById,
  type OwnedGroupAlias,
  pointGroupAlias,
  unpointGroupAlias,
} from './group-alias.ts';
import { newGroup } from './group-changes.ts';
import { membersFolder } from './keys.ts';

/** What is written of the alias of a group; "" stays as it is. */
type Changes = Omit<AliasChanges, 'customMetadata'>;

/**
 * Changes the alias of an id, or makes one, with an external group where none is named. Undefined where nothing changes.
 * 400 for what there is not, for an internal group, and for a name that another alias has at the mount.
 */
export async function writeGroupAlias(
  tx: SealedTransaction,
  id: string,
  changes: Changes,
  isMounted: IsMounted,
): Promise<OwnedGroupAlias | undefined> {
  const known = id === '' ? undefined : await groupAliasById(tx, id);
  if (id !== '' && known === undefined) throw badRequest('id: there is no alias of this id');
  const name = changes.name || known?.alias.name;
  if (name === undefined) throw badRequest('name: is required');
  const accessor = changes.accessor || known?.alias.accessor;
  if (accessor === undefined) throw badRequest('mount_accessor: is required');
  const canonicalId = changes.canonicalId || known?.group.id;
  if (known?.alias.name === name && known.alias.accessor === accessor && known.group.id === canonicalId) {
    return undefined;
  }
  if (!isMounted(accessor)) throw badRequest('mount_accessor: invalid mount accessor: there is no mount of it');
  const other = await groupAliasByFactors(tx, accessor, name);
  if (other !== undefined && other.alias.id !== id) {
    throw badRequest('name: another alias at this mount has this name');
  }
  const group = canonicalId === undefined ? await newGroup(tx, undefined, 'external') : await groupOf(tx, canonicalId);
  if (group.alias !== undefined && group.alias.id !== id) {
    throw badRequest('canonical_id: the group has an alias already: change or delete that');
  }
  const times = { created: known?.alias.created ?? tx.now, updated: tx.now };
  const alias: GroupAliasRecord = { id: known?.alias.id ?? uuidOf(tx.random(16)), name, accessor, ...times };
  return putOwned(tx, known, group, alias);
}

function putOwned(
  tx: SealedTransaction,
  known: OwnedGroupAlias | undefined,
  to: GroupRecord,
  alias: GroupAliasRecord,
): OwnedGroupAlias {
  if (known !== undefined) unpointGroupAlias(tx, known.alias);
  const stays = known?.group.id === to.id;
  if (known !== undefined && !stays) putGroup(tx, withoutAlias(tx, known.group));
  const called = stays && isSame(known.alias, alias) ? to : stays ? withoutAlias(tx, to) : to;
  const group = { ...called, alias, updated: tx.now, modified: to.modified + 1 };
  pointGroupAlias(tx, alias, group);
  putGroup(tx, group);
  return { group, alias };
}

/** Whether both are of the same people: the mount tells them apart by the name, in any letter case. */
const isSame = (one: GroupAliasRecord, other: GroupAliasRecord): boolean =>
  one.accessor === other.accessor && foldCase(one.name) === foldCase(other.name);

/** Removes the alias of a group, and with it who joined the group by it. */
export function removeGroupAlias(tx: SealedTransaction, { group, alias }: OwnedGroupAlias): void {
  unpointGroupAlias(tx, alias);
  putGroup(tx, withoutAlias(tx, group));
}

/** The group, for the caller to store, without alias and without the members that it had by it (known-attacks B3). */
function withoutAlias(tx: SealedTransaction, group: GroupRecord): GroupRecord {
  const { alias: _, ...bare } = group;
  addPurge(tx, membersFolder(membershipOf(group)));
  return { ...bare, epoch: group.epoch + 1, updated: tx.now, modified: group.modified + 1 };
}

async function groupOf(tx: SealedTransaction, id: string): Promise<GroupRecord> {
  const group = await findGroup(tx, id);
  if (group === undefined) throw badRequest('canonical_id: there is no group of this id');
  if (group.type !== 'external') throw badRequest('canonical_id: an internal group has no alias');
  return group;
}
