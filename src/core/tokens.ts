import type { SealedTransaction } from '../barrier/index.ts';
import { keyOfAccessor, liveToken, tokenKey } from '../tokens/store.ts';
import type { TokenRecord } from '../tokens/token.ts';
import { isPlausible } from '../tokens/value.ts';

/** A token that is alive, by its value. */
export async function findToken(tx: SealedTransaction, value: string): Promise<TokenRecord | undefined> {
  return isPlausible(value) ? liveToken(tx, tokenKey(tx, value)) : undefined;
}

/** A token that is alive, by its accessor. */
export async function findByAccessor(tx: SealedTransaction, accessor: string): Promise<TokenRecord | undefined> {
  const key = await keyOfAccessor(tx, accessor);
  const record = key === undefined ? undefined : await liveToken(tx, key);
  // The value of a token may be given again once it is gone, its accessor never.
  return record?.accessor === accessor ? record : undefined;
}
