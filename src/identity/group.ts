import type { SealedTransaction } from '../barrier/index.ts';
import { decodeRecord, encodeRecord } from '../framework/record.ts';
import type { Pairs } from './entity.ts';
import { GROUPS, GROUPS_REVISION, groupNameKey, isId } from './keys.ts';

/** A group: its policies are those of its members. Which entities are members stands in their records. */
export interface GroupRecord {
  readonly id: string;
  readonly name: string;
  /** `internal`: its members are listed by hand; `external`: they come and go with their logins. */
  readonly type: 'internal' | 'external';
  readonly metadata: Pairs;
  /** Sorted. */
  readonly policies: readonly string[];
  /** Ids of the groups it is a member of. */
  readonly parents: readonly string[];
  /** Ids of the groups that are its members. */
  readonly members: readonly string[];
  /** What an external group is called at a mount. */
  readonly alias?: GroupAliasRecord;
  /** Grows when an external group is called otherwise, or nothing any more: who joined it before is no member then. */
  readonly epoch: number;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly updated: number;
  /** Times that it was written. */
  readonly modified: number;
}

export interface GroupAliasRecord {
  readonly id: string;
  readonly name: string;
  readonly accessor: string;
  readonly created: number;
  readonly updated: number;
}

export const groupKey = (id: string): string => GROUPS + id;

export const decodeGroup = (plain: Buffer): GroupRecord => decodeRecord<GroupRecord>(plain);

/** The group of this id. */
export async function findGroup(tx: SealedTransaction, id: string): Promise<GroupRecord | undefined> {
  return isId(id) ? tx.cached(groupKey(id), decodeGroup) : undefined;
}

/** Those of the groups that there are, in one trip. */
export async function findGroups(tx: SealedTransaction, ids: readonly string[]): Promise<readonly GroupRecord[]> {
  const records = ids.length === 0 ? [] : await tx.getMany(ids.filter(isId).map(groupKey));
  return records.flatMap((record) => (record === undefined ? [] : [decodeGroup(record)]));
}

/** The group of this name in any letter case. */
export async function groupByName(tx: SealedTransaction, name: string): Promise<GroupRecord | undefined> {
  const id = await tx.get(groupNameKey(name));
  return id === undefined ? undefined : findGroup(tx, decodeRecord<string>(id));
}

/** What an entity that is a direct member notes of it: the group, and which epoch of it. */
export const membershipOf = ({ id, epoch }: Pick<GroupRecord, 'id' | 'epoch'>): string => `${id}.${epoch}`;

/** The id of the group that a membership is of. */
export const groupIdOf = (membership: string): string => membership.slice(0, membership.indexOf('.'));

/** Stores a group as it is now; who is a member of it has the new policies from the next request on. */
export function putGroup(tx: SealedTransaction, group: GroupRecord): void {
  storeGroup(tx, group);
  changeGroups(tx);
}

/** Stores a group of which nothing has changed that its members have of it. */
export function storeGroup(tx: SealedTransaction, group: GroupRecord): void {
  tx.put(groupKey(group.id), encodeRecord(group));
}

/** Says that a group has changed. */
export function changeGroups(tx: SealedTransaction): void {
  tx.put(GROUPS_REVISION, tx.random(16));
}
