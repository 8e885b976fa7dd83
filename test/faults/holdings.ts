import type { Barrier } from '../../src/barrier/index.ts';
import { decodeRecord } from '../../src/framework/record.ts';
import type { Store } from '../../src/storage/store.ts';
import { answerKey } from '../../src/tokens/holding.ts';
import { LEASES_OF, tokenLeaseId } from '../../src/tokens/lease.ts';
import type { TokenRecord } from '../../src/tokens/token.ts';
import { allKeys } from './keys.ts';
import { Violation } from './witness.ts';

/**
 * Accounts for what tokens hold: each wrapped answer, each note and each name of a lease has its token, and each token those that
 * it is to have.
 * @returns the number of these records
 */
export async function checkHoldings(barrier: Barrier, store: Store): Promise<number> {
  const stored = [
    ...(await allKeys(store, 'wrapped/')),
    ...(await allKeys(store, 'due/')),
    ...(await allKeys(store, LEASES_OF)),
  ];
  const accounted = new Set<string>();
  for (const key of await allKeys(store, 'token/')) {
    const { token, lease } = await barrier.transact(async (tx) => {
      const record = await tx.get(key);
      const token: Partial<TokenRecord> = record === undefined ? {} : decodeRecord<TokenRecord>(record);
      return { token, lease: tokenLeaseId(tx, token.accessor ?? '') };
    });
    const { due, holds, origin } = token;
    if (due !== undefined) accounted.add(due);
    if (origin !== undefined) accounted.add(`${LEASES_OF}${origin.mount}/${origin.path}/${lease}`);
    if (holds?.kind === 'answer') accounted.add(answerKey(key));
  }
  const there = new Set(stored);
  const orphans = stored.filter((key) => !accounted.has(key));
  const missing = [...accounted].filter((key) => !there.has(key));
  if (orphans.length + missing.length > 0) throw new Violation('what tokens hold does not agree', { orphans, missing });
  return stored.length;
}
