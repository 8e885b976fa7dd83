import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Lru } from './lru.ts';

const LIMIT = 10;

type Step = readonly [key: string, bytes: number | undefined];

/** The same with an array, the oldest first. */
function model(steps: readonly Step[]): { readonly got: (number | undefined)[]; readonly bytes: number } {
  let held: { key: string; value: number; bytes: number }[] = [];
  const got: (number | undefined)[] = [];
  for (const [i, [key, bytes]] of steps.entries()) {
    const known = held.find((one) => one.key === key);
    held = held.filter((one) => one !== known);
    if (bytes === undefined) {
      got.push(known?.value);
      if (known !== undefined) held.push(known);
    } else if (bytes <= LIMIT) {
      held.push({ key, value: i, bytes });
      while (held.reduce((sum, one) => sum + one.bytes, 0) > LIMIT) held.shift();
    }
  }
  return { got, bytes: held.reduce((sum, one) => sum + one.bytes, 0) };
}

const steps = fc.array(
  fc.tuple(
    fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    fc.option(fc.oneof(fc.nat(4), fc.nat(LIMIT + 1)), { nil: undefined }),
  ),
  { maxLength: 60 },
);

test('any order of getting and setting holds what the model holds', () => {
  fc.assert(
    fc.property(steps, (given) => {
      const lru = new Lru<number>(LIMIT);
      const got: (number | undefined)[] = [];
      for (const [i, [key, bytes]] of given.entries()) {
        if (bytes === undefined) got.push(lru.get(key));
        else lru.set(key, i, bytes);
      }
      assert.deepEqual({ got, bytes: lru.bytes }, model(given));
    }),
    { numRuns: 500 },
  );
});

test('what was read last stays, and the least recently used goes', () => {
  for (const [read, gone] of [
    ['a', 'b'],
    ['b', 'a'],
    ['c', 'a'],
    ['none', 'a'],
  ] as const) {
    const lru = new Lru<string>(3);
    for (const key of ['a', 'b', 'c']) lru.set(key, key, 1);
    lru.get(read);
    lru.set('d', 'd', 1);
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].filter((key) => lru.get(key) === undefined),
      [gone],
    );
  }
});

test('what is cleared is gone, and what follows is held', () => {
  const lru = new Lru<number>(LIMIT);
  lru.set('a', 1, 4);
  lru.set('b', 2, 4);
  lru.clear();
  assert.deepEqual([lru.get('a'), lru.bytes], [undefined, 0]);
  lru.set('c', 3, 10);
  assert.deepEqual([lru.get('b'), lru.get('c'), lru.bytes], [undefined, 3, 10]);
});
