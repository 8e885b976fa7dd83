import type { SealedTransaction } from '../barrier/index.ts';
import { badRequest } from '../framework/errors.ts';
import { findToken } from './find.ts';
import { letGo, readToken, removeToken, type Standing, tokenKey } from './store.ts';
import { isBatch } from './value.ts';

/**
 * Ends a token at once, and with it every token that came from it: these name it among their ancestors, and a token is
 * alive only while all of its ancestors are. Revoking what does not exist is nothing.
 */
export async function revokeToken(tx: SealedTransaction, key: string): Promise<void> {
  const record = await readToken(tx, key);
  if (record !== undefined) removeToken(tx, tx, key, record);
}

/** The same by the value. 400 for a batch token that is alive: it ends by itself, or with its parent. */
export async function revokeValue(tx: SealedTransaction, standing: Standing, value: string): Promise<void> {
  if (!isBatch(value)) await revokeToken(tx, tokenKey(tx, value));
  else if ((await findToken(tx, standing, value)) !== undefined) throw notRevocable();
}

/**
 * Ends a token alone: what came from it becomes an orphan and lives on. False where no such token is alive: what came from
 * one that has ended has ended with it, and must not come back.
 */
export async function revokeAlone(tx: SealedTransaction, standing: Standing, value: string): Promise<boolean> {
  const found = await findToken(tx, standing, value);
  if (found === undefined) return false;
  const { key, record } = found;
  if (record.type === 'batch') throw notRevocable();
  removeToken(tx, tx, key, record);
  letGo(tx, record);
  return true;
}

const notRevocable = () => badRequest('token: a batch token cannot be revoked: it ends by itself, or with its parent');
