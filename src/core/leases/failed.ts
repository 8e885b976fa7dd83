import type { SealedTransaction } from '../../barrier/index.ts';
import { decodeRecord } from '../../framework/record.ts';
import { FAILED, type FailedLease, lastPart, nameWithin } from '../../leases/record.ts';
import type { Revision } from '../state.ts';

/** Names and records read at once. */
const PAGE = 5_000;

/** Leases that one answer counts or shows at most. */
export const MOST_FAILED = 100_000;

/** A lease that its engine failed to take back many times. */
export interface IrrevocableLease {
  readonly name: string;
  /** Accessor of its mount. */
  readonly mount: string;
  readonly error: string;
  readonly expires: number;
}

/** How many there are, by the accessor of their mount; at most `MOST_FAILED`. */
export async function countFailed(tx: SealedTransaction, revision: Revision): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  let all = 0;
  for (const folder of await tx.list({ prefix: FAILED, after: '', limit: PAGE })) {
    let count = 0;
    for (let after = ''; all < MOST_FAILED; ) {
      const names = await tx.list({ prefix: FAILED + folder, after, limit: PAGE });
      count += names.length;
      all += names.length;
      after = names.at(-1) ?? '';
      if (names.length < PAGE) break;
    }
    counts.set(accessorOf(revision, folder.slice(0, -1)), count);
  }
  return counts;
}

/** The irrevocable leases, those that expired first before the others; of more than `limit` the first found. */
export async function listFailed(
  tx: SealedTransaction,
  revision: Revision,
  limit: number,
): Promise<{ readonly leases: readonly IrrevocableLease[]; readonly more: boolean }> {
  const leases: IrrevocableLease[] = [];
  const end = `${FAILED.slice(0, -1)}0`;
  for (let start = FAILED; ; ) {
    const entries = await tx.range({ start, end, limit: Math.min(PAGE, limit + 1 - leases.length) });
    for (const { key, value } of entries) {
      const { origin, mountPath, error, expires } = decodeRecord<FailedLease>(value);
      const found = revision.mounts.byUuid(origin.mount);
      const name = (found?.mount.path ?? mountPath) + nameWithin(origin, lastPart(key));
      leases.push({ name, mount: accessorOf(revision, origin.mount), error, expires });
    }
    const last = entries.at(-1);
    if (last === undefined || leases.length > limit) break;
    start = `${last.key}\0`;
  }
  const more = leases.length > limit;
  const shown = leases.slice(0, limit);
  return { leases: shown.sort((a, b) => a.expires - b.expires || (a.name < b.name ? -1 : 1)), more };
}

/** Of a mount that has ended too, which is kept until its leases are taken back. */
const accessorOf = ({ mounts, cuts }: Revision, uuid: string): string =>
  (mounts.byUuid(uuid) ?? cuts.ended.byUuid(uuid))?.entry.accessor ?? '';
