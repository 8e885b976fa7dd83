import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { KeyMemory } from './key-memory.ts';

test('the keys of a topic are those of the last time, at most 32', () => {
  const memory = new KeyMemory(100_000);
  assert.equal(memory.get('t'), undefined);
  memory.set('t', ['a', 'b']);
  memory.set('t', ['c']);
  memory.set('u', []);
  assert.deepEqual([memory.get('t'), memory.get('u')], [['c'], []]);
  const many = Array.from({ length: 33 }, (_, i) => `k${i}`);
  memory.set('t', many);
  assert.deepEqual(memory.get('t'), many.slice(0, 32));
  memory.clear();
  assert.deepEqual([memory.get('t'), memory.bytes], [undefined, 0]);
});

test('what was used longest ago goes first', () => {
  const memory = new KeyMemory(500);
  for (const topic of ['a', 'b', 'c']) memory.set(topic, []);
  memory.get('a');
  memory.set('d', []);
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((topic) => memory.get(topic) !== undefined),
    [true, false, true, true],
  );
});

test('it never holds more than it may, also where one entry alone is too large', () => {
  const keys = fc.array(fc.string({ maxLength: 300 }), { maxLength: 40 });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ maxLength: 3 }), keys), { maxLength: 30 }), (entries) => {
      const memory = new KeyMemory(4_000);
      for (const [topic, list] of entries) {
        memory.set(topic, list);
        assert.ok(memory.bytes >= 0 && memory.bytes <= 4_000, String(memory.bytes));
      }
      const distinct = new Set(entries.map(([topic]) => topic));
      const held = [...distinct].filter((topic) => memory.get(topic) !== undefined);
      assert.equal(held.length > 0, memory.bytes > 0);
    }),
  );
});
