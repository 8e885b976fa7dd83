import type { SealedTransaction } from '../barrier/index.ts';
import { decodeRecord } from '../framework/record.ts';
import { removeToken } from './store.ts';
import type { TokenRecord } from './token.ts';

/**
 * Ends a token at once, and with it every token that came from it: these name it among their ancestors, and a token is
 * alive only while all of its ancestors are. Revoking what does not exist is nothing.
 */
export async function revokeToken(tx: SealedTransaction, key: string): Promise<void> {
  const found = await tx.get(key);
  if (found !== undefined) removeToken(tx, tx, key, decodeRecord<TokenRecord>(found));
}
