import type { Commit, Read } from '../backend.ts';
import { compareKeys } from '../keys.ts';

/** A transaction (from 1) reads or writes a slot (from 1). */
export interface Step {
  readonly tx: number;
  readonly slot: number;
  readonly write: boolean;
}

/**
 * How the transactions of one call depend on each other: a slot for each key that one writes and a later one has read,
 * alone or within a range or listing, and in order who reads and writes it. Usually there is none.
 */
export function steps(commits: readonly Commit[]): { readonly slots: number; readonly events: readonly Step[] } {
  const firstWriter = new Map<string, number>();
  commits.forEach(({ writes }, i) => {
    for (const key of writes.keys()) if (!firstWriter.has(key)) firstWriter.set(key, i);
  });
  const slots = new Map<string, number>();
  const readSlots = commits.map(({ reads }, i) => {
    const touched = new Set<number>();
    const touch = (key: string): void => {
      const writer = firstWriter.get(key);
      if (writer === undefined || writer >= i) return;
      const slot = slots.get(key) ?? slots.size + 1;
      slots.set(key, slot);
      touched.add(slot);
    };
    for (const read of reads) {
      if (read.kind === 'get') touch(read.key);
      else if (i > 0) for (const key of firstWriter.keys()) if (covers(read, key)) touch(key);
    }
    return touched;
  });
  const events = commits.flatMap(({ writes }, i): Step[] => [
    ...[...(readSlots[i] ?? [])].map((slot) => ({ tx: i + 1, slot, write: false })),
    ...[...writes.keys()].flatMap((key) => {
      const slot = slots.get(key);
      return slot === undefined ? [] : [{ tx: i + 1, slot, write: true }];
    }),
  ]);
  return { slots: slots.size, events };
}

function covers(read: Exclude<Read, { kind: 'get' }>, key: string): boolean {
  if (read.kind === 'list') return key.startsWith(read.listing.prefix);
  return compareKeys(read.range.start, key) <= 0 && compareKeys(key, read.range.end) < 0;
}
