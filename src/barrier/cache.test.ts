import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecordCache } from './cache.ts';

const decode = (plain: Buffer): string => plain.toString();
const other = (plain: Buffer): number => plain.length;
const raw = (text: string): Buffer => Buffer.from(text);

test('a value counts for its raw bytes and its decoder only', () => {
  const cache = new RecordCache(1_000);
  cache.set('k', raw('one'), decode, 'decoded', 10);
  assert.deepEqual(cache.get('k', raw('one'), decode), { value: 'decoded' });
  assert.equal(cache.get('k', raw('two'), decode), undefined);
  assert.equal(cache.get('k', raw('one'), other), undefined);
  assert.equal(cache.get('j', raw('one'), decode), undefined);
});

test('it keeps its own copy of the raw bytes', () => {
  const cache = new RecordCache(1_000);
  const reused = raw('one');
  cache.set('k', reused, decode, 'decoded', 10);
  reused.write('two');
  assert.equal(cache.get('k', reused, decode), undefined);
});

test('the least recently used goes first, and the bytes stay within the bound', () => {
  // Each takes 100 + 1 + 2 bytes.
  const cache = new RecordCache(309);
  for (const key of ['a', 'b', 'c']) cache.set(key, raw('r'), decode, key, 100);
  assert.equal(cache.bytes, 309);
  cache.get('a', raw('r'), decode);
  cache.set('d', raw('r'), decode, 'd', 100);
  const held = ['a', 'b', 'c', 'd'].filter((key) => cache.get(key, raw('r'), decode) !== undefined);
  assert.deepEqual([held, cache.bytes], [['a', 'c', 'd'], 309]);
});

test('replacing counts once; too large is not kept; clear forgets', () => {
  const cache = new RecordCache(309);
  cache.set('k', raw('1'), decode, 'old', 100);
  cache.set('k', raw('2'), decode, 'new', 50);
  assert.equal(cache.bytes, 53);
  cache.set('big', raw('r'), decode, 'x', 305);
  assert.equal(cache.get('big', raw('r'), decode), undefined);
  assert.equal(cache.bytes, 53);
  cache.clear();
  assert.deepEqual([cache.bytes, cache.get('k', raw('2'), decode)], [0, undefined]);
});
