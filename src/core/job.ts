import type { SealedTransaction } from '../barrier/index.ts';
import { encodeRecord } from '../framework/record.ts';
import { LEASES_OF } from '../tokens/lease.ts';
import { uuidOf } from './uuid.ts';

/**
 * Work too large for one transaction ("architecture §4", Size). The transaction that makes a thing unreachable stores a
 * job; a runner carries it on in batches, each a transaction of its own, and the last removes the record. What is
 * stored survives kill -9: whoever opens the store next goes on.
 */
export interface JobRecord {
  readonly kind: string;
  /** Where the data lies that the job works on; ends in `/`. */
  readonly prefix: string;
  /** Only keys less than `prefix + before`; all where it is absent. */
  readonly before?: string;
  /** The names up to this one are done. */
  readonly after?: string;
  /** Whether something before that could not be removed: then the job begins anew where it would be done. */
  readonly failed?: boolean;
  /** What ended all that the job removes. */
  readonly cut?: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly claim?: Claim;
}

/**
 * Who is at a job, and until when others leave it alone, in milliseconds since 1970. It saves work and guards nothing: two
 * runners at one job do it right, and twice.
 */
export interface Claim {
  readonly by: string;
  readonly until: number;
}

export const FOLDER = 'job/';
export const jobKey = (id: string): string => FOLDER + id;

/**
 * Stores a job that deletes all that lies under `prefix`, or of that the keys less than `prefix + before`. Once this
 * commits nothing may reach it any more, or write there.
 */
export function addPurge(tx: SealedTransaction, prefix: string, before?: string): void {
  if (!/^.+\/$/.test(prefix)) throw new Error('a purge is of a folder');
  const record: JobRecord = { kind: 'purge', prefix, ...(before === undefined ? {} : { before }), created: tx.now };
  tx.put(jobKey(uuidOf(tx.random(16))), encodeRecord(record));
}

/** Stores a job that removes all tokens and leases that a cut ended; `prefix` is the folder that lists them. */
export function addRevocation(tx: SealedTransaction, cut: string, prefix: string): void {
  const record: JobRecord = { kind: 'revoke', prefix, cut, created: tx.now };
  tx.put(jobKey(uuidOf(tx.random(16))), encodeRecord(record));
}

/** Stores the one job that looks for leases and tokens that have ended and were not removed. */
export function addTidy(tx: SealedTransaction): void {
  const record: JobRecord = { kind: 'tidy-leases', prefix: LEASES_OF, created: tx.now };
  tx.put(jobKey(record.kind), encodeRecord(record));
}
