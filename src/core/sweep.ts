import { setImmediate as turn } from 'node:timers/promises';
import type { SealedTransaction } from '../barrier/index.ts';
import { decodeRecord, encodeRecord } from '../framework/record.ts';
import { DUE_FOLDERS, type DueToken, dueTime } from '../tokens/due.ts';
import { noteAgain } from '../tokens/holding.ts';
import { lives, putToken, removeToken } from '../tokens/store.ts';
import type { TokenRecord } from '../tokens/token.ts';
import { addPurge, type Claim } from './job.ts';
import type { JobBarrier } from './jobs.ts';

/** What went with its mount is unreachable, and removed when its time is up. */
const ALL_STAND = { stands: () => true };

/** Tokens looked at by one transaction: each may have 31 ancestors. */
const BATCH = 16;

/** Who sweeps a folder of notes at the moment: as with jobs it saves work and guards nothing. */
const claimKey = (shard: number): string => `core/sweep/${shard}`;

/**
 * Looks at the tokens whose note is due: removes those that have ended, with what they hold, and notes for the others when
 * to look again. Goes on until nothing is due, another sweeps, or `going` says no.
 * @param claim made from the time of a transaction
 */
export async function sweepTokens(
  barrier: JobBarrier,
  claim: (now: number) => Claim,
  going: () => boolean,
): Promise<void> {
  for (let shard = 0; shard < DUE_FOLDERS.length; shard++) {
    while (going() && (await sweepBatch(barrier, shard, claim))) await turn();
  }
}

/** One batch; true where there was one. Notes are read apart from the work, so that new ones disturb nobody. */
async function sweepBatch(barrier: JobBarrier, shard: number, claim: (now: number) => Claim): Promise<boolean> {
  const folder = DUE_FOLDERS[shard] ?? '';
  const { due, free } = await barrier.transact(async (tx) => {
    const names = await tx.list({ prefix: folder, after: '', limit: BATCH });
    const due = names.map((name) => folder + name).filter((key) => !key.endsWith('/') && dueTime(key) <= tx.now);
    return { due, free: due.length === 0 || (await isFree(tx, shard, claim(tx.now))) };
  });
  if (due.length === 0 || !free) return false;
  await barrier.transact(async (tx) => {
    for (const note of due) await lookAt(tx, note);
    tx.put(claimKey(shard), encodeRecord(claim(tx.now)));
  });
  return true;
}

async function isFree(tx: SealedTransaction, shard: number, { by }: Claim): Promise<boolean> {
  const found = await tx.get(claimKey(shard));
  if (found === undefined) return true;
  const held = decodeRecord<Claim>(found);
  return held.by === by || held.until <= tx.now;
}

async function lookAt(tx: SealedTransaction, due: string): Promise<void> {
  const note = await tx.get(due);
  // Another was first.
  if (note === undefined) return;
  const { key, accessor, prefix } = decodeRecord<DueToken>(note);
  const record = await storedToken(tx, key, accessor);
  if (record === undefined) {
    tx.delete(due);
    if (prefix !== undefined) addPurge(tx, prefix);
  } else if (!(await lives(tx, ALL_STAND, record))) {
    // A cubbyhole leaves a note that is due at once.
    removeToken(tx, tx, key, record);
  } else {
    putToken(tx, key, noteAgain(tx, key, record));
  }
}

/** The record of this very life of a token, alive or not. */
async function storedToken(tx: SealedTransaction, key: string, accessor: string): Promise<TokenRecord | undefined> {
  const stored = await tx.get(key);
  const record = stored && decodeRecord<TokenRecord>(stored);
  return record?.accessor === accessor ? record : undefined;
}
