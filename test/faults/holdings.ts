import type { Barrier, SealedTransaction } from '../../src/barrier/index.ts';
import { decodeRecord } from '../../src/framework/record.ts';
import type { Store } from '../../src/storage/store.ts';
import { accessorId, keyOfId } from '../../src/tokens/accessor.ts';
import type { DueRecord } from '../../src/tokens/due.ts';
import { answerKey } from '../../src/tokens/holding.ts';
import { LEASES_OF, tokenLeaseId } from '../../src/tokens/lease.ts';
import type { TokenRecord } from '../../src/tokens/token.ts';
import { allKeys } from './keys.ts';
import { Violation } from './witness.ts';

const ACCESSORS = 'accessor/';
const NOTES = 'due/';
const ANSWERS = 'wrapped/';

/**
 * Accounts for what belongs to tokens: each has its accessor, which names it, its place among the leases of its mount, its
 * note where it ends or holds something, and its answer where it wraps one; and there is none of these without its token.
 * @returns the number of these records
 */
export async function checkHoldings(barrier: Barrier, store: Store): Promise<number> {
  const accounted = new Set<string>();
  for (const key of await allKeys(store, 'token/')) {
    for (const belonging of await barrier.transact((tx) => belongingsOf(tx, key))) accounted.add(belonging);
  }
  const stored: string[] = [];
  for (const folder of [ANSWERS, NOTES, ACCESSORS, LEASES_OF]) {
    for (const key of await allKeys(store, folder)) {
      if (await barrier.transact((tx) => isOfTokens(tx, key))) stored.push(key);
    }
  }
  const there = new Set(stored);
  const orphans = stored.filter((key) => !accounted.has(key));
  const missing = [...accounted].filter((key) => !there.has(key));
  if (orphans.length + missing.length > 0) throw new Violation('what tokens hold does not agree', { orphans, missing });
  return stored.length;
}

/** Keys of what the token under this key must have. */
async function belongingsOf(tx: SealedTransaction, key: string): Promise<readonly string[]> {
  const stored = await tx.get(key);
  if (stored === undefined) return [];
  const { accessor, expires, origin, due, holds } = decodeRecord<TokenRecord>(stored);
  if (expires !== undefined && due === undefined) throw new Violation('a token that ends has no note', { key });
  const id = accessorId(tx, accessor);
  const named = await keyOfId(tx, id);
  if (named !== undefined && (named.key !== key || named.accessor !== accessor)) {
    throw new Violation('an accessor names another token', { key, named });
  }
  return [
    ACCESSORS + id,
    ...(due === undefined ? [] : [due]),
    ...(holds?.kind === 'answer' ? [answerKey(key)] : []),
    ...(origin === undefined ? [] : [`${LEASES_OF}${origin.mount}/${origin.path}/${tokenLeaseId(tx, accessor)}`]),
  ];
}

/** Whether a record is about a token: among leases and notes there may be those of engines. */
async function isOfTokens(tx: SealedTransaction, key: string): Promise<boolean> {
  if (key.startsWith(LEASES_OF)) return /\/h[^/]*$/.test(key);
  if (!key.startsWith(NOTES)) return true;
  const note = await tx.get(key);
  return note !== undefined && !('lease' in decodeRecord<DueRecord>(note));
}
