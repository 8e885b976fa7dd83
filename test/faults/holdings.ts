import type { Barrier } from '../../src/barrier/index.ts';
import { decodeRecord } from '../../src/framework/record.ts';
import type { Store } from '../../src/storage/store.ts';
import { answerKey } from '../../src/tokens/holding.ts';
import type { TokenRecord } from '../../src/tokens/token.ts';
import { allKeys } from './keys.ts';
import { Violation } from './witness.ts';

/**
 * Accounts for what tokens hold: each wrapped answer and each note has its token, and each wrapping token its answer and its
 * note.
 * @returns the number of these records
 */
export async function checkHoldings(barrier: Barrier, store: Store): Promise<number> {
  const stored = [...(await allKeys(store, 'wrapped/')), ...(await allKeys(store, 'due/'))];
  const accounted = new Set<string>();
  for (const key of await allKeys(store, 'token/')) {
    const record = await barrier.transact((tx) => tx.get(key));
    const { due, holds }: Partial<TokenRecord> = record === undefined ? {} : decodeRecord<TokenRecord>(record);
    if (due !== undefined) accounted.add(due);
    if (holds?.kind === 'answer') accounted.add(answerKey(key));
  }
  const there = new Set(stored);
  const orphans = stored.filter((key) => !accounted.has(key));
  const missing = [...accounted].filter((key) => !there.has(key));
  if (orphans.length + missing.length > 0) throw new Violation('what tokens hold does not agree', { orphans, missing });
  return stored.length;
}
