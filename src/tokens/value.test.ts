import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { isPlausible, MAX_CHOSEN_LENGTH, makeTokenValue } from './value.ts';

describe('token values', () => {
  test('have one pattern, and what is made is plausible', () => {
    for (let i = 0; i < 1_000; i++) {
      const value = makeTokenValue(randomBytes);
      assert.match(value, /^s\.[A-Za-z0-9_-]{38}$/);
      assert.ok(isPlausible(value));
    }
  });

  test('are known byte for byte: 24 random bytes and their checksum', () => {
    assert.equal(
      makeTokenValue((bytes) => Buffer.alloc(bytes)),
      's.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAArTFvHg',
    );
  });

  test('one changed, lost or added character is noticed', () => {
    const value = makeTokenValue(randomBytes);
    for (let i = 2; i < value.length; i++) {
      const other = value[i] === 'A' ? 'B' : 'A';
      assert.ok(!isPlausible(value.slice(0, i) + other + value.slice(i + 1)), `character ${i}`);
      assert.ok(!isPlausible(value.slice(0, i) + value.slice(i + 1)), `without ${i}`);
    }
    for (const bad of [`${value}A`, ` ${value}`, `${value} `, `b${value.slice(1)}`, 's.', '.', 's..']) {
      assert.ok(!isPlausible(bad), bad);
    }
  });

  test('without a dot may have been chosen, up to a length', () => {
    assert.ok(isPlausible('root'));
    assert.ok(isPlausible('x'.repeat(MAX_CHOSEN_LENGTH)));
    assert.ok(!isPlausible('x'.repeat(MAX_CHOSEN_LENGTH + 1)));
  });
});
