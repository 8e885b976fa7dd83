import type { SealedTransaction } from '../barrier/index.ts';
import { uuidOf } from '../core/uuid.ts';
import { decodeRecord, encodeRecord } from '../framework/record.ts';
import type { Awaitable } from '../storage/store.ts';
import { ENTITIES, entityNameKey, isId, mergedKey } from './keys.ts';

/** Texts by name, as pairs: names that users chose are no names of members here. */
export type Pairs = readonly (readonly [name: string, value: string])[];

/** Somebody, or something, that logs in. */
export interface EntityRecord {
  readonly id: string;
  readonly name: string;
  readonly metadata: Pairs;
  /** Sorted. */
  readonly policies: readonly string[];
  readonly disabled: boolean;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly updated: number;
  /** At most one at each mount. */
  readonly aliases: readonly AliasRecord[];
  /** What it is a direct member of (`membershipOf`), sorted; those that have ended may stand here still. */
  readonly memberships: readonly string[];
  /** Ids of the entities that were merged into it. */
  readonly merged: readonly string[];
}

/** What an entity is called at a mount. */
export interface AliasRecord {
  readonly id: string;
  /** As it was spelled first: letter case does not count. */
  readonly name: string;
  /** Of the mount. */
  readonly accessor: string;
  /** What the last login told. */
  readonly metadata: Pairs;
  readonly customMetadata: Pairs;
  readonly created: number;
  readonly updated: number;
  /** Ids of the entities that it was of before they were merged. */
  readonly mergedFrom: readonly string[];
}

const decodeEntity = (plain: Buffer): EntityRecord => decodeRecord<EntityRecord>(plain);

export const entityKey = (id: string): string => ENTITIES + id;

/** The entity of exactly this id. */
export const findEntity = (tx: SealedTransaction, id: string): Awaitable<EntityRecord | undefined> =>
  isId(id) ? tx.cached(entityKey(id), decodeEntity) : undefined;

/** Those of the entities that there are, in one trip. */
export async function findEntities(tx: SealedTransaction, ids: readonly string[]): Promise<readonly EntityRecord[]> {
  const records = ids.length === 0 ? [] : await tx.getMany(ids.filter(isId).map(entityKey));
  return records.flatMap((record) => (record === undefined ? [] : [decodeEntity(record)]));
}

/** The entity of this id, or the one that it was merged into. */
export async function leadingEntity(tx: SealedTransaction, id: string): Promise<EntityRecord | undefined> {
  const entity = await findEntity(tx, id);
  if (entity !== undefined || !isId(id)) return entity;
  const into = await tx.get(mergedKey(id));
  return into === undefined ? undefined : findEntity(tx, decodeRecord<string>(into));
}

/** The entity of this name in any letter case. */
export async function entityByName(tx: SealedTransaction, name: string): Promise<EntityRecord | undefined> {
  const id = await tx.get(entityNameKey(name));
  return id === undefined ? undefined : findEntity(tx, decodeRecord<string>(id));
}

export function putEntity(tx: SealedTransaction, entity: EntityRecord): void {
  tx.put(entityKey(entity.id), encodeRecord(entity));
}

/** A new entity, and its name; nothing but its name is stored yet. Without a name it is called as the family does. */
export async function newEntity(tx: SealedTransaction, name?: string): Promise<EntityRecord> {
  const id = uuidOf(tx.random(16));
  const named = name ?? (await freeName(tx, 'entity', entityNameKey));
  tx.put(entityNameKey(named), encodeRecord(id));
  const times = { created: tx.now, updated: tx.now };
  const nothing = { metadata: [], policies: [], aliases: [], memberships: [], merged: [] };
  return { id, name: named, disabled: false, ...nothing, ...times };
}

/** `<kind>_<8 hex>`, unlike any other of its kind. */
export async function freeName(tx: SealedTransaction, kind: string, keyOf: (name: string) => string): Promise<string> {
  for (;;) {
    const name = `${kind}_${tx.random(4).toString('hex')}`;
    if ((await tx.version(keyOf(name))) === undefined) return name;
  }
}
