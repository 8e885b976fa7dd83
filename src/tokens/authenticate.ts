import type { SealedTransaction } from '../barrier/index.ts';
import { permissionDenied } from '../framework/errors.ts';
import { liveToken, putToken, removeToken, tokenKey } from './store.ts';
import type { TokenRecord } from './token.ts';
import { isPlausible } from './value.ts';

/** A token that was presented and found alive. */
export interface Bearer {
  readonly value: string;
  /** Its storage key. */
  readonly key: string;
  /** As it is after this use. */
  readonly record: TokenRecord;
  /** Whether its uses are counted. */
  readonly restricted: boolean;
}

/** The token of a request: 403, the same for all reasons, where it is unknown, expired, revoked or spent. */
export async function authenticate(tx: SealedTransaction, value: string): Promise<Bearer> {
  if (!isPlausible(value)) throw permissionDenied();
  const key = tokenKey(tx, value);
  const record = await liveToken(tx, key);
  if (record === undefined) throw permissionDenied();
  return { value, key, record, restricted: record.numUses !== 0 };
}

/** Takes one use from a token whose uses are counted; the last one ends it. It is taken from refused requests too. */
export function spendUse(tx: SealedTransaction, bearer: Bearer): Bearer {
  if (!bearer.restricted) return bearer;
  const { key, record } = bearer;
  const left = { ...record, numUses: record.numUses - 1 };
  if (left.numUses === 0) removeToken(tx, tx.spend, key, record);
  else putToken(tx.spend, key, left);
  return { ...bearer, record: left };
}
