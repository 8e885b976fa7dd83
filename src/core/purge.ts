import type { Barrier, SealedTransaction } from '../barrier/index.ts';

/** Keys deleted by one transaction; it may touch twice as many. */
const BATCH = 500;

/**
 * Deletes up to 500 keys under a prefix that nothing writes to any more, and with the last of them the job's own record.
 * Names are read apart from the deletion, and no value is opened: a record that is damaged is deleted like any other.
 */
export async function purgeBatch(
  barrier: Pick<Barrier, 'transact'>,
  key: string,
  { prefix }: { readonly prefix: string },
): Promise<boolean> {
  const keys = await barrier.transact((tx) => keysBeneath(tx, prefix, BATCH));
  const last = keys.length < BATCH;
  await barrier.transact((tx) => {
    for (const gone of keys) tx.delete(gone);
    if (last) tx.delete(key);
  });
  return last;
}

/** The first keys under a prefix, at most `limit`. As deep as keys are, which are shorter than 1,900 bytes. */
async function keysBeneath(tx: SealedTransaction, prefix: string, limit: number): Promise<readonly string[]> {
  const keys: string[] = [];
  for (const name of await tx.list({ prefix, after: '', limit })) {
    if (keys.length === limit) break;
    const key = prefix + name;
    if (name.endsWith('/')) keys.push(...(await keysBeneath(tx, key, limit - keys.length)));
    else keys.push(key);
  }
  return keys;
}
