import { after, behind } from './keys.ts';
import type { Awaitable, Entry, Listing, Range } from './store.ts';

/**
 * A listing out of ordered seeks: reads a few keys at a time and jumps over what lies beneath a folder, so that the
 * cost follows the number of names and not the number of keys below them.
 */
export async function listBySeeking(
  range: (range: Range) => Awaitable<readonly Entry[]>,
  listing: Listing,
): Promise<string[]> {
  const { prefix, limit } = listing;
  const end = prefix === '' ? '\u{10ffff}' : behind(prefix);
  const names: string[] = [];
  let start = firstKey(listing);
  while (names.length < limit) {
    const entries = await range({ start, end, limit: Math.min(limit - names.length, 64) });
    if (entries.length === 0) break;
    for (const { key } of entries) {
      const name = childName(key, prefix.length);
      start = name.endsWith('/') ? behind(prefix + name) : after(key);
      names.push(name);
      if (name.endsWith('/')) break;
    }
  }
  return names;
}

/** The first key that can belong to the listing: behind `after`, and behind its whole folder where it names one. */
export function firstKey({ prefix, after: last }: Listing): string {
  if (last === '') return prefix;
  const slash = last.indexOf('/');
  return slash === -1 ? after(prefix + last) : behind(prefix + last.slice(0, slash + 1));
}

/** The name of the direct child that a key stands for: up to and with the next slash. */
export function childName(key: string, prefixLength: number): string {
  const slash = key.indexOf('/', prefixLength);
  return slash === -1 ? key.slice(prefixLength) : key.slice(prefixLength, slash + 1);
}
