import type { SealedTransaction } from '../../barrier/index.ts';
import type { Page } from '../../framework/listing.ts';
import { leasesOf } from '../../leases/record.ts';
import { fullPath } from '../mount-table.ts';
import type { Revision } from '../state.ts';

/** The names of leases, and of folders of leases, directly below a path: within a mount, or above mounts that have some. */
export async function leaseNames(
  tx: SealedTransaction,
  { mounts }: Revision,
  path: string,
  page: Page,
): Promise<readonly string[]> {
  const folder = path === '' || path.endsWith('/') ? path : `${path}/`;
  const located = folder === '' ? undefined : mounts.locate(folder);
  if (located !== undefined) return tx.list({ prefix: leasesOf(located.mount.uuid, located.relative), ...page });
  const uuids = new Map<string, string[]>();
  for (const entry of mounts.entries) {
    const full = fullPath(entry);
    if (!full.startsWith(folder)) continue;
    const name = full.slice(folder.length, full.indexOf('/', folder.length) + 1);
    const some = uuids.get(name);
    if (some === undefined) uuids.set(name, [entry.uuid]);
    else some.push(entry.uuid);
  }
  const names: string[] = [];
  for (const name of [...uuids.keys()].sort(byBytes)) {
    if (names.length === page.limit) break;
    if (byBytes(name, page.after) > 0 && (await anyOf(tx, uuids.get(name) ?? []))) names.push(name);
  }
  return names;
}

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

async function anyOf(tx: SealedTransaction, uuids: readonly string[]): Promise<boolean> {
  for (const uuid of uuids) {
    if ((await tx.list({ prefix: leasesOf(uuid), after: '', limit: 1 })).length > 0) return true;
  }
  return false;
}
