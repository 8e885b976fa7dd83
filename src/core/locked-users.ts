import type { SealedTransaction } from '../barrier/index.ts';
import { LOCKOUTS, lockoutKey } from '../framework/lockout.ts';
import { decodeRecord } from '../framework/record.ts';
import { type Failures, isLocked } from './lockout.ts';
import { lockoutRules } from './lockout-settings.ts';
import { mountMac, mountPrefix } from './mount-store.ts';
import type { MountEntry } from './mount-table.ts';

/** Records read at once. */
const PAGE = 500;

/**
 * The names, sorted, that are locked out of a mount now, as far as they are among the first `limit` that have failed.
 * @returns how many of `limit` were not used up
 */
export async function lockedUsers(
  tx: SealedTransaction,
  { uuid, config }: MountEntry,
  limit: number,
): Promise<{ readonly names: readonly string[]; readonly left: number }> {
  const rules = lockoutRules(config.lockout);
  const folder = `${mountPrefix(uuid)}${LOCKOUTS}user/`;
  const names: string[] = [];
  let left = limit;
  for (let start = folder; left > 0 && !rules.disabled; ) {
    const page = await tx.range({ start, end: `${folder}\u{10ffff}`, limit: Math.min(PAGE, left) });
    for (const { value } of page) {
      const failures = decodeRecord<Failures>(value);
      if (isLocked(failures, rules, tx.now)) names.push(failures.alias);
    }
    left -= page.length;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) break;
    start = `${last.key}\u0000`;
  }
  return { names: names.sort(), left };
}

/** Forgets the failures of a name, in any letter case where the mount knows no other. */
export function unlockUser(tx: SealedTransaction, { uuid }: MountEntry, alias: string): void {
  for (const spelling of new Set([alias, alias.toLowerCase()])) {
    tx.delete(mountPrefix(uuid) + lockoutKey(mountMac(tx, uuid), spelling));
  }
}
