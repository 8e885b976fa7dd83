import type { SealedTransaction } from '../barrier/index.ts';
import { batchLives } from '../tokens/find.ts';
import { liveToken, type Standing } from '../tokens/store.ts';
import { type Holder, type LeaseRecord, readLease } from './record.ts';

/**
 * Whether a lease is alive: neither expired nor revoked, its mount there, and the token that it was given to alive. That is
 * decided at each look, so the end of a mount, a login or a token takes its leases at once, however many there are.
 */
export async function isAlive(tx: SealedTransaction, standing: Standing, lease: LeaseRecord): Promise<boolean> {
  if (lease.ended !== undefined || lease.expires <= tx.now) return false;
  if (!standing.stands({ origin: lease.origin, created: lease.issued })) return false;
  return holderLives(tx, standing, lease.holder);
}

async function holderLives(tx: SealedTransaction, standing: Standing, holder: Holder): Promise<boolean> {
  if (holder.kind === 'nobody') return true;
  if (holder.kind === 'batch') return batchLives(tx, standing, holder.life);
  const { key, accessor } = holder.token;
  return (await liveToken(tx, standing, key))?.accessor === accessor;
}

/** Whether the lease of this id, the last part of its name, is one of this mount's and alive. */
export async function leaseLives(
  tx: SealedTransaction,
  standing: Standing,
  mount: string,
  id: string,
): Promise<boolean> {
  const lease = await readLease(tx, id);
  return lease?.origin.mount === mount && isAlive(tx, standing, lease);
}
