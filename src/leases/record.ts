import type { SealedTransaction } from '../barrier/index.ts';
import { decodeRecord, encodeRecord } from '../framework/record.ts';
import { accessorId } from '../tokens/accessor.ts';
import { putDue } from '../tokens/due.ts';
import { LEASES_OF } from '../tokens/lease.ts';
import type { Life } from '../tokens/store.ts';
import type { Ancestor, Origin } from '../tokens/token.ts';

/** What an engine gave out, until when, and with whom it ends. Stored under the last part of its name. */
export interface LeaseRecord {
  /** The mount that gave it, and the path that was asked for. */
  readonly origin: Origin;
  /** Path of the mount at that time: a lease is known by this name too after the mount has moved. Ends in `/`. */
  readonly mountPath: string;
  readonly holder: Holder;
  /** Milliseconds since 1970. */
  readonly issued: number;
  readonly expires: number;
  /** Milliseconds since 1970, of the last renewal. */
  readonly renewed?: number;
  /** Seconds, as given last: what a renewal without an increment asks for. */
  readonly ttl: number;
  /** Seconds from `issued`; 0 for the mount's maximum. */
  readonly maxTtl: number;
  readonly renewable: boolean;
  /** The engine's own. */
  readonly note: string;
  /** Storage key of the note that has it looked at when its time is up. */
  readonly due: string;
  /** Milliseconds since 1970, from when on it counts for nothing though it is still to be taken back. */
  readonly ended?: number;
  /** Times that the engine failed to take back what it gave out, and what it said the last time. */
  readonly failures?: number;
  readonly error?: string;
}

/** Whom a lease ends with: a stored token, a batch token, or nobody. */
export type Holder =
  | { readonly kind: 'token'; readonly token: Ancestor }
  | { readonly kind: 'batch'; readonly life: Life }
  | { readonly kind: 'nobody' };

/** Failures in a row from which on a lease is listed as irrevocable, as the family does; it is tried on. */
export const IRREVOCABLE = 6;

/** What is listed of a lease that is irrevocable. */
export type FailedLease = Pick<LeaseRecord, 'origin' | 'mountPath' | 'expires'> & { readonly error: string };

/** Leases that are irrevocable, by the uuid of their mount. */
export const FAILED = 'lease-failed/';

const keyOf = (id: string): string => `lease/${id}`;

/** The folder of the leases that end with a stored token. */
export const leasesBy = (tx: SealedTransaction, accessor: string): string => `lease-by/${accessorId(tx, accessor)}/`;

/** The leases of a mount below a path within it, which ends in `/` or is empty. */
export const leasesOf = (mount: string, path = ''): string => `${LEASES_OF}${mount}/${path}`;

/** The name of a lease within its mount. */
export const nameWithin = ({ path }: Origin, id: string): string => (path === '' ? id : `${path}/${id}`);

/** An engine makes ids of 16 random bytes or more. The last part of the name of a token's lease is longer. */
const ID = /^[A-Za-z0-9_-]{22,48}$/;

/** What tells a lease from all others, whatever its mount is called now. */
export const lastPart = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

export const isLeaseId = (text: string): boolean => ID.test(text);

export async function readLease(tx: SealedTransaction, id: string): Promise<LeaseRecord | undefined> {
  const found = isLeaseId(id) ? await tx.get(keyOf(id)) : undefined;
  return found && decodeRecord<LeaseRecord>(found);
}

/** Stores what changed of a lease, with a note for when it is to be looked at. */
export function putLease(
  tx: SealedTransaction,
  id: string,
  lease: Omit<LeaseRecord, 'due'> & { readonly due?: string },
  look: number,
): LeaseRecord {
  if (lease.due !== undefined) tx.delete(lease.due);
  const record: LeaseRecord = { ...lease, due: pokeLease(tx, id, look) };
  tx.put(keyOf(id), encodeRecord(record));
  return record;
}

/** Has a lease looked at besides; answers the note's storage key. */
export const pokeLease = (tx: SealedTransaction, id: string, look: number): string =>
  // A dot stands in no other note's id.
  putDue(tx, look, `lease.${id}`, { lease: id });

/** Whether the id of a note is that of a lease. */
export const isLeaseNote = (dueId: string): boolean => dueId.startsWith('lease.');

/** Lists a new lease with its mount and its token. */
export function indexLease(tx: SealedTransaction, id: string, lease: LeaseRecord): void {
  for (const key of indexKeys(tx, id, lease)) tx.put(key, Buffer.alloc(0));
}

/** Removes all that is stored of a lease. */
export function removeLease(tx: SealedTransaction, id: string, lease: LeaseRecord): void {
  tx.delete(keyOf(id));
  tx.delete(lease.due);
  for (const key of indexKeys(tx, id, lease)) tx.delete(key);
  if ((lease.failures ?? 0) >= IRREVOCABLE) tx.delete(failedKey(id, lease));
}

export const failedKey = (id: string, { origin }: LeaseRecord): string => `${FAILED}${origin.mount}/${id}`;

function indexKeys(tx: SealedTransaction, id: string, { origin, holder }: LeaseRecord): readonly string[] {
  const keys = [leasesOf(origin.mount) + nameWithin(origin, id)];
  const token = tokenOf(holder);
  if (token !== undefined) keys.push(leasesBy(tx, token.accessor) + id);
  return keys;
}

/** The stored token whose end is told to the lease: of a batch token its parent. */
export function tokenOf(holder: Holder): Ancestor | undefined {
  if (holder.kind === 'token') return holder.token;
  return holder.kind === 'batch' ? holder.life.ancestors[0] : undefined;
}
