import type { SealedTransaction } from '../barrier/index.ts';
import { uuidOf } from '../core/uuid.ts';
import { decodeRecord, encodeRecord } from '../framework/record.ts';
import { type AliasRecord, type EntityRecord, findEntities, findEntity } from './entity.ts';
import { ALIASES, aliasFactorsKey, isId } from './keys.ts';

/** An alias with the entity that it is of. */
export interface Owned {
  readonly entity: EntityRecord;
  readonly alias: AliasRecord;
}

/** What leads to an alias, under its id and under what it is of: the entity it stands in. */
interface AliasPointer {
  readonly id: string;
  readonly entityId: string;
}

const aliasKey = (id: string): string => ALIASES + id;

/** The alias of this id. */
export const aliasById = async (tx: SealedTransaction, id: string): Promise<Owned | undefined> =>
  isId(id) ? ownedAlias(tx, await tx.get(aliasKey(id))) : undefined;

/** The alias of this name, in any letter case, at the mount. */
export const aliasByFactors = async (
  tx: SealedTransaction,
  accessor: string,
  name: string,
): Promise<Owned | undefined> => ownedAlias(tx, await tx.get(aliasFactorsKey(tx, accessor, name)));

/** The alias that a stored pointer leads to. */
export async function ownedAlias(tx: SealedTransaction, pointer: Buffer | undefined): Promise<Owned | undefined> {
  if (pointer === undefined) return undefined;
  const { id, entityId } = decodeRecord<AliasPointer>(pointer);
  const entity = await findEntity(tx, entityId);
  const alias = entity?.aliases.find((one) => one.id === id);
  return entity === undefined || alias === undefined ? undefined : { entity, alias };
}

/** Those of the aliases that there are, in two trips. */
export async function ownedAliases(tx: SealedTransaction, ids: readonly string[]): Promise<readonly Owned[]> {
  const records = await tx.getMany(ids.filter(isId).map(aliasKey));
  const pointers = records.flatMap((record) => (record === undefined ? [] : [decodeRecord<AliasPointer>(record)]));
  const entities = await findEntities(tx, [...new Set(pointers.map(({ entityId }) => entityId))]);
  const owners = new Map(entities.map((entity) => [entity.id, entity]));
  return pointers.flatMap(({ id, entityId }) => {
    const entity = owners.get(entityId);
    const alias = entity?.aliases.find((one) => one.id === id);
    return entity === undefined || alias === undefined ? [] : [{ entity, alias }];
  });
}

/** Makes an alias findable; it stands in the record of its entity. */
export function pointAlias(tx: SealedTransaction, { id, accessor, name }: AliasRecord, entityId: string): void {
  const pointer: AliasPointer = { id, entityId };
  tx.put(aliasKey(id), encodeRecord(pointer));
  tx.put(aliasFactorsKey(tx, accessor, name), encodeRecord(pointer));
}

export function unpointAlias(tx: SealedTransaction, { id, accessor, name }: AliasRecord): void {
  tx.delete(aliasKey(id));
  tx.delete(aliasFactorsKey(tx, accessor, name));
}

/** A new alias; nothing of it is stored yet. */
export const newAlias = (
  tx: SealedTransaction,
  accessor: string,
  name: string,
  told: Partial<Pick<AliasRecord, 'metadata' | 'customMetadata'>> = {},
): AliasRecord => ({
  id: uuidOf(tx.random(16)),
  name,
  accessor,
  metadata: told.metadata ?? [],
  customMetadata: told.customMetadata ?? [],
  created: tx.now,
  updated: tx.now,
  mergedFrom: [],
});
