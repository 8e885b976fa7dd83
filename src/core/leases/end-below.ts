import type { SealedTransaction } from '../../barrier/index.ts';
import { leasesOf } from '../../leases/record.ts';
import { addCut, changeCut } from '../cuts.ts';
import { addPurge, addRevocation } from '../job.ts';
import { mountPrefix } from '../mount-store.ts';
import { fullPath, type MountEntry } from '../mount-table.ts';
import type { Revision } from '../state.ts';

/** A part of what mounts have given out: all, or what lies below a path within the mount, which ends in `/`. */
interface Part {
  readonly mount: string;
  readonly prefix: string;
}

/**
 * Ends all tokens and leases below a path, such as `auth/userpass/login` or `ssh/creds/`, at once and on every node; a stored
 * job removes them. Where there are none that is nothing.
 * @param force forgets what engines fail to take back, also of mounts that have ended
 */
export async function endBelow(tx: SealedTransaction, revision: Revision, path: string, force: boolean): Promise<void> {
  const folder = path.endsWith('/') ? path : `${path}/`;
  for (const { mount, prefix } of partsBelow(revision.mounts.entries, folder)) {
    const cut = (await holdsAny(tx, leasesOf(mount, prefix))) && (await addCut(tx, { mount, prefix, force }));
    if (cut) addRevocation(tx, cut.id, leasesOf(mount, prefix));
  }
  if (!force) return;
  for (const cut of revision.cuts.all) {
    if (cut.ended === undefined || cut.force || partsBelow([cut.ended], folder).length === 0) continue;
    await changeCut(tx, cut.id, { ...cut, force: true });
    // Its job may be waiting for long.
    addRevocation(tx, cut.id, leasesOf(cut.mount, cut.prefix));
  }
}

/** Has the leases and tokens of a mount end with it, and its data removed, when its engine has taken back what it gave out. */
export async function endMount(tx: SealedTransaction, ended: MountEntry): Promise<void> {
  const mount = ended.uuid;
  if (!(await holdsAny(tx, leasesOf(mount)))) return addPurge(tx, mountPrefix(mount));
  const cut = await addCut(tx, { mount, prefix: '', force: false, ended });
  addRevocation(tx, cut.id, leasesOf(mount));
}

/** The mounts below a folder, each whole; or the part of the mount that the folder lies in. */
function partsBelow(entries: readonly MountEntry[], folder: string): readonly Part[] {
  return entries.flatMap((entry) => {
    const path = fullPath(entry);
    if (path.startsWith(folder)) return { mount: entry.uuid, prefix: '' };
    return folder.startsWith(path) ? { mount: entry.uuid, prefix: folder.slice(path.length) } : [];
  });
}

const holdsAny = async (tx: SealedTransaction, prefix: string): Promise<boolean> =>
  (await tx.list({ prefix, after: '', limit: 1 })).length > 0;
