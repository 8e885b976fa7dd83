import type { SealedTransaction } from '../../barrier/index.ts';
import { isAlive } from '../../leases/alive.ts';
import { endLease } from '../../leases/ending.ts';
import { isLeaseId, type LeaseRecord, lastPart, nameWithin, readLease } from '../../leases/record.ts';
import { keyOfId } from '../../tokens/accessor.ts';
import { lives, readToken, removeToken } from '../../tokens/store.ts';
import type { Origin, TokenRecord } from '../../tokens/token.ts';
import type { Revision } from '../state.ts';

/** What the name of a lease leads to, alive or not: a leased secret, or a token, which is a lease of its auth method. */
export type FoundLease =
  | { readonly kind: 'secret'; readonly name: string; readonly id: string; readonly lease: LeaseRecord }
  | { readonly kind: 'token'; readonly name: string; readonly key: string; readonly record: TokenRecord };

/** UTF-16 units of a name: a path and what follows on it. */
const MAX_NAME = 1_280;

/**
 * The lease of a name, found by its last part, which is unlike any other. The rest must be right too, or a policy on paths
 * below one mount would open what lies at another: it is the mount's path as it is now, or as it was when the lease was issued.
 * Answers the name as it is now.
 */
export async function findLease(
  tx: SealedTransaction,
  revision: Revision,
  given: string,
): Promise<FoundLease | undefined> {
  if (given.length > MAX_NAME) return undefined;
  const id = lastPart(given);
  if (isLeaseId(id)) {
    const lease = await readLease(tx, id);
    if (lease === undefined) return undefined;
    const name = nameNow(revision, lease.origin, lease.mountPath, id);
    const former = lease.mountPath + nameWithin(lease.origin, id);
    return given === name || given === former ? { kind: 'secret', name, id, lease } : undefined;
  }
  const found = id.startsWith('h') ? await keyOfId(tx, id.slice(1)) : undefined;
  const record = found && (await readToken(tx, found.key));
  if (found === undefined || record?.accessor !== found.accessor || record.origin === undefined) return undefined;
  const former = `${record.path}/${id}`;
  const mountPath = record.path.slice(0, record.path.length - record.origin.path.length);
  const name = nameNow(revision, record.origin, mountPath, id);
  return given === name || given === former ? { kind: 'token', name, key: found.key, record } : undefined;
}

function nameNow({ mounts, cuts }: Revision, origin: Origin, mountPath: string, id: string): string {
  const found = mounts.byUuid(origin.mount) ?? cuts.ended.byUuid(origin.mount);
  return (found?.mount.path ?? mountPath) + nameWithin(origin, id);
}

/** Whether a lease is alive, or still to be taken back by an engine that failed to. */
export async function isShown(tx: SealedTransaction, revision: Revision, found: FoundLease): Promise<boolean> {
  if (found.kind === 'token') return lives(tx, revision, found.record);
  return found.lease.failures !== undefined || (await isAlive(tx, revision, found.lease));
}

/** Ends a lease with this transaction; what an engine gave out is taken back behind it. */
export function endFound(tx: SealedTransaction, found: FoundLease): void {
  if (found.kind === 'token') removeToken(tx, tx, found.key, found.record);
  else endLease(tx, found.id, found.lease);
}
