import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apart } from './apart.ts';

const THINGS = Array.from({ length: 10 }, (_, i) => i);

test('all are acted on, some at a time and some acts at once', async () => {
  for (const [size, atOnce, most] of [
    [1, undefined, 1],
    [3, 1, 1],
    [3, 2, 2],
    [4, 9, 3],
    [20, 2, 1],
  ] as const) {
    const seen: number[] = [];
    let under = 0;
    let highest = 0;
    const act = async (some: readonly number[]): Promise<void> => {
      assert.ok(some.length <= size);
      highest = Math.max(highest, ++under);
      for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve));
      under--;
      seen.push(...some);
    };
    await apart(THINGS, atOnce === undefined ? { size } : { size, atOnce }, act, assert.fail);
    assert.deepEqual(
      seen.toSorted((a, b) => a - b),
      THINGS,
    );
    assert.equal(highest, most, `${size}, ${atOnce}`);
  }
});

test('of those that fail with others each is acted on alone, and told of where it fails then too', async () => {
  for (const bad of [[], [0], [4], [0, 1, 2], [9], THINGS]) {
    const done = new Set<number>();
    const told: number[] = [];
    const act = async (some: readonly number[]): Promise<void> => {
      if (some.some((one) => bad.includes(one))) throw new Error('bad');
      for (const one of some) done.add(one);
    };
    await apart(THINGS, { size: 3, atOnce: 2 }, act, (one) => told.push(one));
    assert.deepEqual(told, bad);
    assert.deepEqual(
      [...done].toSorted((a, b) => a - b),
      THINGS.filter((one) => !bad.includes(one)),
    );
  }
});

test('what is thrown for one ends the work, and nothing is left unheard', async () => {
  let acts = 0;
  const work = apart(
    THINGS,
    { size: 1, atOnce: 2 },
    async () => {
      acts++;
      throw new Error('sealed');
    },
    (_, error) => {
      throw error;
    },
  );
  await assert.rejects(work, /sealed/);
  assert.equal(acts, 4, 'each of the first two, and again alone');
});
