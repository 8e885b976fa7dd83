import type { SealedTransaction } from '../barrier/index.ts';
import { issueToken, rootGrant } from './issue.ts';

/** A root token without a parent; with `id`, of that value. 400 where the value is taken. */
export async function createRootToken(
  tx: SealedTransaction,
  id?: string,
): Promise<{ readonly token: string; readonly accessor: string }> {
  const birth = { origin: undefined, entityId: '', parent: undefined, created: tx.now };
  const { value, record } = await issueToken(tx, rootGrant(id), birth);
  return { token: value, accessor: record.accessor };
}
