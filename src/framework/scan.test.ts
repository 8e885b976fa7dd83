import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { compareKeys } from '../storage/keys.ts';
import { memoryStore } from '../storage/memory.ts';
import { scanNames } from './scan.ts';

/** All names of a scan, with the most of listings that one piece of it took. */
async function scan(
  keys: readonly string[],
  prefix: string,
  after = '',
  size = 7,
): Promise<{ names: string[]; listings: number; pieces: number }> {
  const store = memoryStore();
  for (let at = 0; at < keys.length; at += 500) {
    await store.transact((tx) => {
      for (const key of keys.slice(at, at + 500)) tx.put(key, Buffer.alloc(0));
    });
  }
  return store.transact(async (tx) => {
    let listings = 0;
    let most = 0;
    const list: typeof tx.list = (listing) => {
      listings += 1;
      return tx.list(listing);
    };
    const names: string[] = [];
    const scanned = scanNames({ list }, prefix, after);
    for (let pieces = 1; ; pieces++) {
      listings = 0;
      const piece = await scanned.next(size);
      assert.ok(piece.keys.length <= size);
      most = Math.max(most, listings);
      names.push(...piece.keys);
      if (piece.done) return { names, listings: most, pieces };
      assert.ok(pieces < 10_000);
    }
  });
}

test('names are whole and sorted by their bytes, folders and what looks like them apart', async () => {
  const keys = ['m/a', 'm/a-b', 'm/a/', 'm/a/b', 'm/a/b/c', 'm/a0', 'm/\u{1f600}/x', 'm/\ufffd/x', 'm/é', 'n/z', 'l'];
  const beneath = ['a', 'a-b', 'a/', 'a/b', 'a/b/c', 'a0', 'é', '\ufffd/x', '\u{1f600}/x'];
  assert.deepEqual((await scan(keys, 'm/')).names, beneath);
  assert.deepEqual((await scan(keys, 'm/a/')).names, ['', 'b', 'b/c']);
  assert.deepEqual((await scan(keys, 'none/')).names, []);
});

// What a property cannot miss: few letters, so that names are folders of each other, and begin alike.
const segment = fc.string({
  unit: fc.constantFrom('a', 'b', '-', '0', 'é', '\u{1f600}', '\ufffd'),
  minLength: 1,
  maxLength: 3,
});
const name = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
const after = fc.oneof(
  name,
  name.map((n) => `${n}/`),
  fc.constant(''),
  fc.string(),
  fc.constant('/'),
  fc.constant('a//b'),
);

test('random trees: behind any name, in pieces of any size, what sorting all of them gives', async () => {
  const runs = fc.asyncProperty(
    fc.uniqueArray(name, { maxLength: 30 }),
    after,
    fc.integer({ min: 1, max: 9 }),
    async (names, behind, size) => {
      const wanted = names.filter((n) => behind === '' || compareKeys(n, behind) > 0).sort(compareKeys);
      const keys = [...names.map((n) => `m/${n}`), 'l/x', 'n/x'];
      assert.deepEqual((await scan(keys, 'm/', behind, size)).names, wanted);
    },
  );
  await fc.assert(runs, { numRuns: 400 });
});

describe('a piece takes a bounded number of listings', () => {
  const deep = Array.from({ length: 300 }, (_, i) => `${'f/'.repeat(i)}x`);
  for (const [what, names] of [
    ['a folder in a folder, 300 deep', deep],
    ['3,000 folders of one name', Array.from({ length: 3_000 }, (_, i) => `${String(i).padStart(5, '0')}/x`)],
    ['one name in 200 folders', [`${'g/'.repeat(200)}x`]],
  ] as const) {
    test(what, async () => {
      const { names: found, listings } = await scan(
        names.map((n) => `m/${n}`),
        'm/',
        '',
        5_000,
      );
      assert.deepEqual(found, [...names].sort(compareKeys));
      assert.ok(listings <= 32, `${listings} listings`);
    });
  }

  test('an `after` of many folders that do not exist', async () => {
    for (const behind of ['a/'.repeat(4_096), 'a'.repeat(8_192), `${'é/'.repeat(600)}\ud800`]) {
      const { names, listings, pieces } = await scan(['m/a', 'm/b', 'm/\u{1f600}'], 'm/', behind);
      assert.deepEqual(names, behind.startsWith('a') ? ['b', '\u{1f600}'] : ['\u{1f600}']);
      assert.ok(listings <= 32 && pieces <= 24, `${listings}, ${pieces}`);
    }
  });
});

test('a flat folder is read a thousand names at a time, little of it at first', async () => {
  const names = Array.from({ length: 19_500 }, (_, i) => String(i).padStart(5, '0'));
  const keys = names.map((n) => `m/${n}`);
  const { names: found, listings, pieces } = await scan(keys, 'm/', '', 20_000);
  assert.deepEqual([found, listings, pieces], [names, 16, 2]);
});
