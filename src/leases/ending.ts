import type { SealedTransaction } from '../barrier/index.ts';
import { ServiceError } from '../framework/errors.ts';
import { encodeRecord } from '../framework/record.ts';
import { type FailedLease, failedKey, IRREVOCABLE, type LeaseRecord, putLease } from './record.ts';

/** Between two attempts to take back what an engine gave out: doubled with each failure. */
const FIRST_MILLIS = 1_000;
const LONGEST_MILLIS = 60 * 60 * 1_000;

/** Milliseconds to wait after so many failures in a row. */
export const backOff = (failures: number): number => Math.min(FIRST_MILLIS * 2 ** (failures - 1), LONGEST_MILLIS);

/** Ends a lease: from now on it counts for nothing. What the engine gave out is taken back after this transaction. */
export function endLease(tx: SealedTransaction, id: string, lease: LeaseRecord): void {
  if (lease.ended === undefined) putLease(tx, id, { ...lease, ended: tx.now }, tx.now);
}

/** Keeps a lease that the engine failed to take back, and has it tried again later. */
export function noteFailure(tx: SealedTransaction, id: string, lease: LeaseRecord, cause: unknown): LeaseRecord {
  const failures = (lease.failures ?? 0) + 1;
  const { origin, mountPath, expires } = lease;
  const error = sentenceOf(cause);
  const failed = { ...lease, ended: lease.ended ?? tx.now, failures, error };
  const shown: FailedLease = { origin, mountPath, expires, error };
  if (failures >= IRREVOCABLE) tx.put(failedKey(id, lease), encodeRecord(shown));
  return putLease(tx, id, failed, tx.now + backOff(failures));
}

/** What may be shown: an error that was not made to be shown may hold a secret, and is in the log alone. */
const sentenceOf = (cause: unknown): string =>
  cause instanceof ServiceError ? cause.message : 'the engine failed: see the log of the server';
