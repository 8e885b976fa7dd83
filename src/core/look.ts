import type { SealedTransaction } from '../barrier/index.ts';
import { decodeRecord } from '../framework/record.ts';
import { leasesBy, pokeLease } from '../leases/record.ts';
import { type DueToken, dueId, putDue } from '../tokens/due.ts';
import { noteAgain } from '../tokens/holding.ts';
import { lives, putToken, removeToken, type Standing } from '../tokens/store.ts';
import type { TokenRecord } from '../tokens/token.ts';
import { addPurge } from './job.ts';

/** Leases of a token that has ended which are told so by one look. */
const TOLD = 32;

/** Looks at the token of a note that is due: removes it with what it holds if it has ended, or notes when to look again. */
export async function lookAtToken(tx: SealedTransaction, standing: Standing, due: string): Promise<void> {
  const note = await tx.get(due);
  // Another was first.
  if (note === undefined) return;
  const life = decodeRecord<DueToken>(note);
  const { key, accessor, prefix } = life;
  const record = await storedToken(tx, key, accessor);
  if (record === undefined) {
    tx.delete(due);
    if (prefix !== undefined) addPurge(tx, prefix);
    if (life.leased) await tellLeases(tx, due, life);
  } else if (record.due !== undefined && record.due !== due) {
    // What it was noted for is past: it is looked at when its own note is due.
    tx.delete(due);
  } else if (!(await lives(tx, standing, record))) {
    // A cubbyhole and leases leave a note that is due at once.
    removeToken(tx, tx, key, record);
    if (record.due === undefined) tx.delete(due);
  } else {
    if (record.due === undefined) tx.delete(due);
    putToken(tx, key, noteAgain(tx, key, record));
  }
}

/** The record of this very life of a token, alive or not. */
async function storedToken(tx: SealedTransaction, key: string, accessor: string): Promise<TokenRecord | undefined> {
  const stored = await tx.get(key);
  const record = stored && decodeRecord<TokenRecord>(stored);
  return record?.accessor === accessor ? record : undefined;
}

/** Has the leases of a token that is gone looked at, some at a time. */
async function tellLeases(tx: SealedTransaction, due: string, life: DueToken): Promise<void> {
  const { key, accessor, after = '' } = life;
  const ids = await tx.list({ prefix: leasesBy(tx, accessor), after, limit: TOLD });
  for (const id of ids) pokeLease(tx, id, tx.now);
  const last = ids.at(-1);
  if (ids.length === TOLD && last !== undefined) {
    putDue(tx, tx.now, dueId(due), { key, accessor, leased: true, after: last });
  }
}
