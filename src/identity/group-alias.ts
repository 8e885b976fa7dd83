import type { SealedTransaction } from '../barrier/index.ts';
import { decodeRecord, encodeRecord } from '../framework/record.ts';
import { findGroup, findGroups, type GroupAliasRecord, type GroupRecord, membershipOf } from './group.ts';
import { GROUP_ALIASES, groupAliasFactorsKey, isId } from './keys.ts';

/** What leads to the alias of a group, under its id and under what it is of: the group it stands in. */
interface GroupPointer {
  readonly id: string;
  readonly groupId: string;
  /** What who logs in with this name is a member of. */
  readonly membership: string;
}

/** An alias with the group that it is of. */
export interface OwnedGroupAlias {
  readonly group: GroupRecord;
  readonly alias: GroupAliasRecord;
}

const decodeGroupPointer = (plain: Buffer): GroupPointer => decodeRecord<GroupPointer>(plain);

const aliasKey = (id: string): string => GROUP_ALIASES + id;

/** The group's alias of this id. */
export const groupAliasById = async (tx: SealedTransaction, id: string): Promise<OwnedGroupAlias | undefined> =>
  isId(id) ? owned(tx, await tx.get(aliasKey(id))) : undefined;

/** The group's alias of this name, in any letter case, at the mount. */
export const groupAliasByFactors = async (
  tx: SealedTransaction,
  accessor: string,
  name: string,
): Promise<OwnedGroupAlias | undefined> => owned(tx, await tx.get(groupAliasFactorsKey(tx, accessor, name)));

async function owned(tx: SealedTransaction, pointer: Buffer | undefined): Promise<OwnedGroupAlias | undefined> {
  if (pointer === undefined) return undefined;
  const group = await findGroup(tx, decodeGroupPointer(pointer).groupId);
  return group?.alias === undefined ? undefined : { group, alias: group.alias };
}

/** What who is in the group of a stored pointer is a member of. */
export const membershipAt = (pointer: Buffer): string => decodeGroupPointer(pointer).membership;

/** The groups that the aliases of these ids are of, in two trips. */
export async function groupsOfAliases(tx: SealedTransaction, ids: readonly string[]): Promise<readonly GroupRecord[]> {
  const records = await tx.getMany(ids.filter(isId).map(aliasKey));
  return findGroups(
    tx,
    records.flatMap((record) => (record === undefined ? [] : [decodeGroupPointer(record).groupId])),
  );
}

/** Makes the alias of a group, as it is now, findable; it stands in the record of the group. */
export function pointGroupAlias(tx: SealedTransaction, alias: GroupAliasRecord, group: GroupRecord): void {
  const pointer: GroupPointer = { id: alias.id, groupId: group.id, membership: membershipOf(group) };
  tx.put(aliasKey(alias.id), encodeRecord(pointer));
  tx.put(groupAliasFactorsKey(tx, alias.accessor, alias.name), encodeRecord(pointer));
}

export function unpointGroupAlias(tx: SealedTransaction, { id, accessor, name }: GroupAliasRecord): void {
  tx.delete(aliasKey(id));
  tx.delete(groupAliasFactorsKey(tx, accessor, name));
}
