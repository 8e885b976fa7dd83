import assert from 'node:assert/strict';
import { test } from 'node:test';
import { random } from './random.ts';

test('no bytes are given twice, whatever sizes are asked for', () => {
  const seen = new Set<string>();
  let given = 0;
  for (let i = 0; i < 2_000; i++) {
    const bytes = random(16 + (i % 60));
    assert.equal(bytes.length, 16 + (i % 60));
    for (let at = 0; at + 8 <= bytes.length; at += 8, given++) seen.add(bytes.toString('hex', at, at + 8));
  }
  assert.equal(seen.size, given);
});

test('what was given stays as it is', () => {
  const first = random(32);
  const copy = Buffer.from(first);
  for (let i = 0; i < 1_000; i++) random(64);
  assert.deepEqual(first, copy);
});

test('all values of a byte come, about as often', () => {
  const counts = new Array<number>(256).fill(0);
  for (let i = 0; i < 4_096; i++) for (const byte of random(64)) counts[byte] = (counts[byte] ?? 0) + 1;
  // 1,024 of each are expected, with a deviation of 32.
  assert.ok(counts.every((count) => count > 750 && count < 1_300));
});
