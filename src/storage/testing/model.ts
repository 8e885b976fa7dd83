import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compareKeys } from '../keys.ts';
import type { Entry, Store, Transaction } from '../store.ts';

export const text = (bytes: Buffer | undefined): string | undefined => bytes?.toString('utf8');
export const put = (store: Store, records: Readonly<Record<string, string>>): Promise<void> =>
  store.transact((tx) => {
    for (const [key, value] of Object.entries(records)) tx.put(key, Buffer.from(value));
  });
export const all = (tx: Transaction): PromiseLike<readonly Entry[]> | readonly Entry[] =>
  tx.range({ start: '\u0001', end: '\u{10ffff}', limit: 1000 });

/* The plain map that a store is held against. */

const name = fc.constantFrom('a', 'b', 'a/x', 'a/y', 'a/x/1', 'é', 'c/d/e', '😀/z');
/** One operation on a store. */
export const step = fc.oneof(
  fc.record({ do: fc.constant('put' as const), key: name, value: fc.string({ maxLength: 4 }) }),
  fc.record({ do: fc.constant('delete' as const), key: name }),
  fc.record({ do: fc.constant('fail' as const), key: name }),
  fc.record({ do: fc.constant('list' as const), key: fc.constantFrom('', 'a/', 'a/x/', 'c/'), after: name }),
);
type ModelStep = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Runs the steps on the store and on a map, and compares the two after each. */
export async function followModel(store: Store, steps: readonly ModelStep[]): Promise<void> {
  const model = new Map<string, string>();
  await store.transact(async (tx) => {
    for (const { key } of await all(tx)) tx.delete(key);
  });
  for (const each of steps) {
    if (each.do === 'put') {
      model.set(each.key, each.value);
      await put(store, { [each.key]: each.value });
    } else if (each.do === 'delete') {
      model.delete(each.key);
      await store.transact((tx) => tx.delete(each.key));
    } else if (each.do === 'fail') {
      const failing = store.transact((tx) => {
        tx.put(each.key, Buffer.from('dropped'));
        throw new Error('refused');
      });
      await assert.rejects(failing, /refused/);
    } else {
      const listing = { prefix: each.key, after: each.after, limit: 3 };
      assert.deepEqual(
        await store.transact((tx) => tx.list(listing)),
        children(model, each.key, each.after).slice(0, 3),
      );
    }
    const entries = await store.transact(all);
    const sorted = [...model].sort(([a], [b]) => compareKeys(a, b));
    assert.deepEqual(
      entries.map(({ key, value }) => [key, text(value)]),
      sorted,
    );
  }
}

/** Names of the direct children of a folder behind `behind`, by their UTF-8 bytes. */
export function children(model: ReadonlyMap<string, string>, prefix: string, behind: string): string[] {
  const names = new Set<string>();
  for (const key of model.keys()) {
    if (!key.startsWith(prefix)) continue;
    const rest = key.slice(prefix.length);
    const slash = rest.indexOf('/');
    names.add(slash === -1 ? rest : rest.slice(0, slash + 1));
  }
  return [...names].filter((child) => behind === '' || compareKeys(child, behind) > 0).sort(compareKeys);
}
