import type { SealedTransaction } from '../barrier/index.ts';
import { issueToken, rootGrant } from './issue.ts';

/** A root token without a parent; with `id`, of that value. 400 where the value is taken. */
export async function createRootToken(
  tx: SealedTransaction,
  id?: string,
): Promise<{ readonly token: string; readonly accessor: string }> {
  const { client_token: token, accessor } = await issueToken(tx, rootGrant(id), undefined);
  if (typeof token !== 'string' || typeof accessor !== 'string') throw new Error('a new token has a value');
  return { token, accessor };
}
