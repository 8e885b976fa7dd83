import type { SealedTransaction } from '../barrier/index.ts';
import { keyOfAccessor } from './accessor.ts';
import { openBatch } from './batch.ts';
import { type Life, lives, liveToken, livingAncestors, readToken, type Standing, tokenKey } from './store.ts';
import type { TokenRecord } from './token.ts';
import { isBatch, isPlausible } from './value.ts';

/** A token that is alive. */
export interface Found {
  /** Its storage key; of a batch token, which is not stored, nothing lies there. */
  readonly key: string;
  readonly record: TokenRecord;
}

/** A token that is alive, by its value. */
export async function findToken(tx: SealedTransaction, standing: Standing, value: string): Promise<Found | undefined> {
  if (isBatch(value)) return findBatch(tx, standing, value);
  if (!isPlausible(value)) return undefined;
  const key = tokenKey(tx, value);
  const record = await liveToken(tx, standing, key);
  return record && { key, record };
}

async function findBatch(tx: SealedTransaction, standing: Standing, value: string): Promise<Found | undefined> {
  const record = await openBatch(tx, value);
  if (record === undefined) return undefined;
  const life = await wholeLife(tx, record);
  if (!(await lives(tx, standing, life))) return undefined;
  const [parent] = (await livingAncestors(tx, standing, life)) ?? [];
  return { key: tokenKey(tx, value), record: { ...record, ancestors: parent === undefined ? [] : [parent] } };
}

/** Whether a batch token is alive. */
export const batchLives = async (tx: SealedTransaction, standing: Standing, batch: Life): Promise<boolean> =>
  lives(tx, standing, await wholeLife(tx, batch));

/** What a batch token depends on. It names its parent alone: with that it has the rest of its ancestors. */
async function wholeLife(tx: SealedTransaction, batch: Life): Promise<Life> {
  const [parent] = batch.ancestors;
  // As it is stored, alive or not: whether it is alive is for its ancestors to say, which are walked with it.
  const above = parent === undefined ? undefined : await readToken(tx, parent.key);
  const ancestors =
    above?.accessor === parent?.accessor ? [...batch.ancestors, ...(above?.ancestors ?? [])] : batch.ancestors;
  // It is stored nowhere, so nothing would be left to end it once all that ended below a path with it has been removed.
  return { ...batch, created: Number.POSITIVE_INFINITY, ancestors };
}

/** A token that is alive, by its accessor. */
export async function findByAccessor(
  tx: SealedTransaction,
  standing: Standing,
  accessor: string,
): Promise<Found | undefined> {
  const key = await keyOfAccessor(tx, accessor);
  const record = key === undefined ? undefined : await liveToken(tx, standing, key);
  // The value of a token may be given again once it is gone, its accessor never.
  return key !== undefined && record?.accessor === accessor ? { key, record } : undefined;
}
