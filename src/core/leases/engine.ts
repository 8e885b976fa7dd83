import type { SealedTransaction } from '../../barrier/index.ts';
import type { Engines, Leases } from '../../framework/engine.ts';
import type { LeaseRecord } from '../../leases/record.ts';
import type { Renewed } from '../../leases/renew.ts';
import { MountStore } from '../mount-store.ts';
import type { Compiled } from '../mount-table.ts';
import type { Revision } from '../state.ts';

/** The mount that gave a lease; one that has ended too, while leases of its are to be taken back. */
export const mountOfLease = ({ mounts, cuts }: Revision, { origin }: LeaseRecord): Compiled | undefined =>
  mounts.byUuid(origin.mount) ?? cuts.ended.byUuid(origin.mount);

/** Has the engine end what it gave out under a lease; nothing where the engine is gone. Throws what the engine throws. */
export async function takeBack(
  tx: SealedTransaction,
  engines: Engines,
  revision: Revision,
  lease: LeaseRecord,
): Promise<void> {
  const found = mountOfLease(revision, lease);
  if (found !== undefined) await leasesOf(engines, found)?.revoke(lease.note, contextOf(tx, found));
}

/** What the engine says to a renewal by so many seconds; undefined where it leaves that to the mount. */
export async function askRenewal(
  tx: SealedTransaction,
  engines: Engines,
  found: Compiled,
  lease: LeaseRecord,
  increment: number,
): Promise<Renewed | undefined> {
  return leasesOf(engines, found)?.renew?.(lease.note, increment, contextOf(tx, found));
}

function leasesOf(engines: Engines, { entry, mount }: Compiled): Leases | undefined {
  return engines.has(entry.kind, entry.type)
    ? engines.variant(entry.kind, entry.type, mount.options).leases
    : undefined;
}

const contextOf = (tx: SealedTransaction, { mount }: Compiled) => ({
  // A purge is found at the next look for jobs.
  store: new MountStore(tx, mount.uuid, () => {}),
  mount,
  now: tx.now,
});
