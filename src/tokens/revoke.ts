import type { SealedTransaction } from '../barrier/index.ts';
import { badRequest } from '../framework/errors.ts';
import { letGo, readToken, removeToken, tokenKey } from './store.ts';
import { isBatch } from './value.ts';

/**
 * Ends a token at once, and with it every token that came from it: these name it among their ancestors, and a token is
 * alive only while all of its ancestors are. Revoking what does not exist is nothing.
 */
export async function revokeToken(tx: SealedTransaction, key: string): Promise<void> {
  const record = await readToken(tx, key);
  if (record !== undefined) removeToken(tx, tx, key, record);
}

/** Ends a token alone: what came from it becomes an orphan and lives on. False where there is no such token. */
export async function revokeAlone(tx: SealedTransaction, key: string): Promise<boolean> {
  const record = await readToken(tx, key);
  if (record === undefined) return false;
  removeToken(tx, tx, key, record);
  letGo(tx, record);
  return true;
}

/** The storage key of a token to revoke. 400 for a batch token, which ends by itself or with its parent. */
export function revocableKey(tx: SealedTransaction, value: string): string {
  if (isBatch(value)) throw badRequest('token: a batch token cannot be revoked: it ends by itself, or with its parent');
  return tokenKey(tx, value);
}
