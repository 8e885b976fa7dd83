import type { SealedTransaction } from '../barrier/index.ts';
import type { Mount } from '../framework/context.ts';
import { badRequest } from '../framework/errors.ts';
import { lifetime } from '../tokens/lifetime.ts';
import { secondsTo } from './grant.ts';
import { type LeaseRecord, putLease } from './record.ts';

/** What an engine says to a renewal, seconds; 0 leaves it as it was. */
export interface Renewed {
  readonly ttl: number;
  readonly maxTtl: number;
}

/** What a renewal came to. */
export interface Renewal {
  readonly duration: number;
  readonly warnings: readonly string[];
}

/** 400 unless a lease that is alive may be renewed. */
export function refuseRenewal({ renewable }: LeaseRecord): void {
  if (!renewable) throw badRequest('lease_id: the lease is not renewable');
}

/**
 * Has a lease live on from now: for as long as is asked for, else as the engine says, else as the last time; never beyond its
 * maximum, counted from when it was issued (known-attacks B6). 400 where that is reached.
 * @param increment seconds; 0 where none was given
 */
export function renewLease(
  tx: SealedTransaction,
  id: string,
  lease: LeaseRecord,
  mount: Mount,
  increment: number,
  said: Renewed | undefined,
): Renewal {
  const { issued } = lease;
  const maxTtl = said?.maxTtl || lease.maxTtl;
  const wish = {
    field: 'increment',
    ttl: increment || said?.ttl || lease.ttl,
    period: 0,
    maxTtl,
    explicitMaxTtl: 0,
    issued,
  };
  const { ttl, warnings } = lifetime(wish, mount, tx.now);
  const most = maxTtl > 0 ? Math.min(maxTtl, mount.maxTtl) : mount.maxTtl;
  const expires = Math.min(tx.now + ttl * 1_000, issued + most * 1_000);
  putLease(tx, id, { ...lease, expires, ttl, maxTtl, renewed: tx.now }, expires);
  return { duration: secondsTo(expires, tx.now), warnings };
}
