import type { Store } from '../../src/storage/store.ts';

const PAGE = 500;

/** All keys of a store with this beginning. */
export async function allKeys(store: Store, prefix: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for (let start = prefix; ; ) {
    const page = await store.transact((tx) => tx.range({ start, end: `${prefix}\u{10ffff}`, limit: PAGE }));
    keys.push(...page.map(({ key }) => key));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return keys;
    start = `${last.key}\0`;
  }
}
