import type { SealedTransaction } from '../../barrier/index.ts';
import { isAlive } from '../../leases/alive.ts';
import { noteFailure } from '../../leases/ending.ts';
import { type LeaseRecord, putLease, readLease, removeLease } from '../../leases/record.ts';
import type { JobService } from '../jobs.ts';
import { takeBack } from './engine.ts';

/** What the engine threw when it was to take back what it gave out. */
class TakeBackFailed extends Error {}

export interface Settling {
  /** Storage key of the note that had the lease looked at: it goes. */
  readonly note?: string;
  /** Forgets the lease where the engine fails. */
  readonly forget?: boolean;
}

/**
 * Removes a lease that has ended, in a transaction of its own: the engine takes back what it gave out. Where that throws,
 * nothing that it wrote counts; the lease is kept, dead, and tried again later.
 * @returns what became of it: a lease that is alive stays
 */
export async function settleLease(
  { barrier, engines, state, log }: JobService,
  id: string,
  { note, forget = false }: Settling = {},
): Promise<'gone' | 'alive' | 'failed'> {
  try {
    return await barrier.transact(async (tx) => {
      if (note !== undefined) tx.delete(note);
      const lease = await readLease(tx, id);
      if (lease === undefined) return 'gone';
      const revision = await state.current(tx);
      if (await isAlive(tx, revision, lease)) {
        if (note === lease.due) putLease(tx, id, lease, lease.expires);
        return 'alive';
      }
      await takeBack(tx, engines, revision, lease).catch((cause: unknown) => {
        throw new TakeBackFailed('an engine failed to take back what it gave out', { cause });
      });
      removeLease(tx, id, lease);
      return 'gone';
    });
  } catch (error) {
    if (!(error instanceof TakeBackFailed)) throw error;
    const { cause } = error;
    // Where the server is sealed meanwhile this fails too, and nothing counts.
    const kept = await barrier.transact((tx) => (forget ? forgetLease(tx, id, note) : keep(tx, id, note, cause)));
    if (kept === undefined) return 'gone';
    log.warn('what was leased could not be taken back and will be tried again', {
      lease: `${kept.mountPath}${kept.origin.path}/${id}`,
      failures: kept.failures,
      error: cause,
    });
    return 'failed';
  }
}

async function keep(
  tx: SealedTransaction,
  id: string,
  note: string | undefined,
  cause: unknown,
): Promise<LeaseRecord | undefined> {
  if (note !== undefined) tx.delete(note);
  const lease = await readLease(tx, id);
  return lease && noteFailure(tx, id, lease, cause);
}

async function forgetLease(tx: SealedTransaction, id: string, note: string | undefined): Promise<undefined> {
  if (note !== undefined) tx.delete(note);
  const lease = await readLease(tx, id);
  if (lease !== undefined) removeLease(tx, id, lease);
}
