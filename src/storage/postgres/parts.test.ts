import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Commit, Read } from '../backend.ts';
import { bigIntegers, byteArrays, integers } from './arrays.ts';
import { firstOf } from './batch.ts';
import { DatabaseClock } from './clock.ts';
import { steps } from './steps.ts';
import { Versions } from './versions.ts';

test('arrays are as array_recv takes them', () => {
  const hex = (bytes: Buffer): string => bytes.toString('hex');
  assert.equal(hex(byteArrays([])), '000000000000000100000011');
  assert.equal(
    hex(byteArrays([Buffer.from('a'), undefined, Buffer.alloc(0)])),
    '0000000100000001000000110000000300000001' + '0000000161' + 'ffffffff' + '00000000',
  );
  assert.equal(hex(integers([-1])), '0000000100000001000000170000000100000001' + '00000004ffffffff');
  assert.equal(
    hex(bigIntegers([2 ** 53 - 1])),
    '0000000100000001000000140000000100000001' + '00000008001fffffffffffff',
  );
});

test('the clock follows the database, not the machine, and never goes back', () => {
  let passed = 0;
  const clock = new DatabaseClock(() => passed);
  clock.learn(1_000);
  passed = 10.7;
  assert.equal(clock.now(), 1_010);
  clock.learn(900);
  assert.equal(clock.now(), 1_010);
  passed += 200;
  assert.equal(clock.now(), 1_100);
  clock.learn(3_600_000);
  assert.equal(clock.now(), 3_600_000);
});

test('a value that was not read here is not validated', () => {
  const versions = new Versions();
  const value = Buffer.from('v');
  versions.set(value, 7);
  assert.deepEqual([versions.of(value), versions.of(undefined)], [7, 0]);
  assert.throws(() => versions.of(Buffer.from('v')), /was not read from this store/);
});

const read = (key: string): Read => ({ kind: 'get', key, answer: undefined });
const commit = (reads: readonly Read[], keys: readonly string[]): Commit => ({
  reads,
  writes: new Map(keys.map((key) => [key, Buffer.from('v')])),
  now: 0,
});

test('one call takes at most 4,096 keys or 32 MiB, and one commit in any case', () => {
  const small = commit([], ['a', 'b']);
  assert.equal(firstOf(Array.from({ length: 2_049 }, () => small)).length, 2_048);
  const large = (bytes: number): Commit => ({ ...small, writes: new Map([['a', Buffer.alloc(bytes)]]) });
  const half = 16 * 1024 * 1024;
  assert.deepEqual(
    [firstOf([large(half), large(half)]).length, firstOf([large(half), large(half + 1)]).length],
    [2, 1],
  );
  assert.equal(firstOf([large(3 * half), small]).length, 1);
});

describe('steps', () => {
  test('are none where no earlier transaction of the call writes what a later one reads', () => {
    const commits = [commit([read('a')], ['a']), commit([read('b')], ['b', 'a']), commit([], ['b'])];
    assert.deepEqual(steps(commits), { slots: 0, events: [] });
  });

  test('lead to the losers that validating one after the other gives', () => {
    const key = fc.constantFrom('a', 'a/b', 'a/c', 'b');
    const range: fc.Arbitrary<Read> = fc
      .tuple(key, key)
      .map(([start, end]) => ({ kind: 'range', range: { start, end, limit: 9 }, answer: [] }));
    const list: fc.Arbitrary<Read> = fc
      .constantFrom('', 'a/')
      .map((prefix) => ({ kind: 'list', listing: { prefix, after: '', limit: 9 }, answer: [] }));
    const reads = fc.array(fc.oneof(key.map(read), range, list), { maxLength: 3 });
    const anyCommit = fc.tuple(reads, fc.array(key, { maxLength: 3 })).map(([reads, keys]) => commit(reads, keys));
    fc.assert(
      fc.property(fc.array(fc.tuple(anyCommit, fc.boolean()), { maxLength: 6 }), (batch) => {
        const commits = batch.map(([each]) => each);
        const won = batch.map(([, valid]) => valid);
        const dirty = new Set<number>();
        for (const { tx, slot, write } of steps(commits).events) {
          if (!write && dirty.has(slot)) won[tx - 1] = false;
          if (write && won[tx - 1] === true) dirty.add(slot);
        }
        const written = new Set<string>();
        const expected = batch.map(([{ reads, writes }, valid]) => {
          const wins = valid && !reads.some((one) => [...written].some((key) => concerns(one, key)));
          if (wins) for (const key of writes.keys()) written.add(key);
          return wins;
        });
        assert.deepEqual(won, expected);
      }),
      { numRuns: 500 },
    );
  });
});

function concerns(read: Read, key: string): boolean {
  if (read.kind === 'get') return read.key === key;
  if (read.kind === 'list') return key.startsWith(read.listing.prefix);
  return read.range.start <= key && key < read.range.end;
}
