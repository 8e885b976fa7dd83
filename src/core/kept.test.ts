import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Kept } from './kept.ts';

test('what is used stays, what is not goes first', () => {
  const kept = new Kept<number>(10);
  kept.set('large', 1, 6);
  for (let i = 0; i < 100; i += 1) {
    kept.set(`small ${i}`, i, 1);
    assert.equal(kept.get('large'), 1);
  }
  assert.equal(kept.get('small 90'), undefined);
  assert.equal(kept.get('small 99'), 99);
});

test('a thing is replaced, and what is too large is kept alone', () => {
  const kept = new Kept<number>(10);
  kept.set('a', 1, 4);
  kept.set('a', 2, 9);
  assert.equal(kept.get('a'), 2);
  kept.set('b', 3, 11);
  assert.deepEqual([kept.get('a'), kept.get('b')], [undefined, 3]);
  kept.set('c', 4, 1);
  assert.equal(kept.get('c'), 4);
});

test('what is kept never costs more than the limit, and what is given is what was set last', () => {
  const step = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'e'), cost: fc.nat(6), read: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const kept = new Kept<{ readonly n: number; readonly cost: number }>(10);
      const last = new Map<string, { readonly n: number; readonly cost: number }>();
      for (const [n, { key, cost, read }] of steps.entries()) {
        if (read) assert.ok([undefined, last.get(key)].includes(kept.get(key)));
        else {
          const made = { n, cost };
          last.set(key, made);
          kept.set(key, made, cost);
          assert.equal(kept.get(key)?.n, n);
        }
        const all = [...last.keys()].flatMap((one) => kept.get(one) ?? []);
        assert.ok(all.reduce((sum, one) => sum + one.cost, 0) <= 10);
      }
    }),
  );
});
