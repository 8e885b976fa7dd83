import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { postgresStore } from '../postgres.ts';
import { MAX_PREFETCH, type Store, type Transaction } from '../store.ts';
import { type Pooler, startPooler } from './testing/pooler.ts';
import { skip, startDatabase, type TestDatabase } from './testing/server.ts';

let database: TestDatabase;
let pooler: Pooler;
let one: Store;
let two: Store;

before(async () => {
  if (skip !== false) return;
  database = await startDatabase('fsync=off');
  pooler = await startPooler(database, 4);
  one = await postgresStore({ url: pooler.url });
  two = await postgresStore({ url: database.url });
});
after(async () => {
  if (skip !== false) return;
  await one.close();
  await two.close();
  await pooler.stop();
  await database.stop();
});

const text = (value: Buffer | undefined): string | undefined => value?.toString();
const put = (store: Store, records: Readonly<Record<string, string>>): Promise<void> =>
  store.transact((tx) => {
    for (const [key, value] of Object.entries(records)) tx.put(key, Buffer.from(value));
  });

describe('what was prefetched', { skip }, () => {
  const trips = async (fn: (tx: Transaction) => Promise<unknown>): Promise<number> =>
    (await pooler.sent(() => one.transact(fn))).length;

  test('is answered without a trip, at most 64 keys of it', async () => {
    const keys = Array.from({ length: MAX_PREFETCH + 1 }, (_, i) => `many/${i}`);
    await put(one, { [keys[0] ?? '']: '0' });
    const reading = (count: number) => async (tx: Transaction) => {
      tx.distant?.prefetch(keys);
      assert.equal(await tx.get('other'), undefined);
      for (const key of keys.slice(0, count)) assert.equal(text(await tx.get(key)), key === keys[0] ? '0' : undefined);
      await tx.getMany([...keys.slice(0, count), ...keys.slice(0, count)]);
    };
    assert.equal(await trips(reading(MAX_PREFETCH)), 1);
    assert.equal(await trips(reading(MAX_PREFETCH + 1)), 2);
  });

  test('is forgotten where it has changed by a later trip, and asked for anew', async () => {
    await put(one, { x: '1', y: '1' });
    let runs = 0;
    const seen = await one.transact(async (tx) => {
      runs += 1;
      tx.distant?.prefetch(['y']);
      await tx.get('a');
      await put(two, { x: '2', y: '2' });
      return [text(await tx.get('x')), text(await tx.get('y'))];
    });
    assert.deepEqual([seen, runs], [['2', '2'], 1]);
  });

  test('before a snapshot was held is not what is read from it', async () => {
    await put(one, { x: '1', y: '1' });
    const { tx, release } = await one.transact(async (tx) => {
      tx.distant?.prefetch(['x', 'y']);
      await tx.get('a');
      await put(two, { x: '2', y: '2' });
      return { tx, release: tx.hold() };
    });
    assert.deepEqual([text(await tx.get('x')), text(await tx.get('y'))], ['2', '2']);
    release();
  });
});

const KEYS = ['a', 'b', 'c', 'd', 'f/a', 'f/b'];
const key = fc.constantFrom(...KEYS);
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('get' as const), keys: fc.array(key, { maxLength: 2, minLength: 1 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('prefetch' as const), keys: fc.array(key, { maxLength: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('list' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('put' as const), key }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('other' as const), keys: fc.array(key, { minLength: 1, maxLength: 3 }) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Model = ReadonlyMap<string, string>;

/** What the steps read where nothing changes meanwhile. */
function replay(start: Model, steps: readonly Step[]): unknown[] {
  const own = new Map(start);
  return steps.flatMap((each) => {
    if (each.do === 'get') return [each.keys.map((key) => own.get(key))];
    if (each.do === 'list') return [[...own.keys()].filter((key) => key.startsWith('f/')).sort()];
    if (each.do === 'put') own.set(each.key, 'own');
    return [];
  });
}

test('random guesses change no answer, while another node writes in between, and make nothing conflict', {
  skip,
}, async () => {
  let writes = 0;
  const some = fc.array(step, { minLength: 4, maxLength: 9, size: 'max' });
  const property = fc.asyncProperty(fc.subarray(KEYS), some, async (guesses, more) => {
    const steps: readonly Step[] = [{ do: 'prefetch', keys: guesses }, ...more];
    await one.transact((tx) => {
      for (const key of KEYS) tx.delete(key);
    });
    await put(one, { a: 'start', 'f/a': 'start' });
    let current: Model = new Map([
      ['a', 'start'],
      ['f/a', 'start'],
    ]);
    const moments = [current];
    const run = async (tx: Transaction, runs: number): Promise<unknown[]> => {
      const seen: unknown[] = [];
      for (const each of steps) {
        if (each.do === 'prefetch') tx.distant?.prefetch(each.keys);
        else if (each.do === 'get') seen.push((await tx.getMany(each.keys)).map(text));
        else if (each.do === 'list') {
          const names = await tx.list({ prefix: 'f/', after: '', limit: 9 });
          seen.push(names.map((name) => `f/${name}`));
        } else if (each.do === 'put') tx.put(each.key, Buffer.from('own'));
        else if (runs === 1 && each.keys.length > 0) {
          writes += 1;
          const written = Object.fromEntries(each.keys.map((key) => [key, `other${writes}`]));
          await put(two, written);
          current = new Map([...current, ...Object.entries(written)]);
          moments.push(current);
        }
      }
      return seen;
    };
    let runs = 0;
    const seen = await one.transact((tx) => {
      runs += 1;
      return run(tx, runs);
    });
    const possible = steps.some((each) => each.do === 'put') ? moments.slice(-1) : moments;
    assert.ok(
      possible.some((moment) => JSON.stringify(replay(moment, steps)) === JSON.stringify(seen)),
      `${JSON.stringify(seen)} is of no moment`,
    );
    const asked = new Set(steps.flatMap((each) => (each.do === 'get' ? each.keys : each.do === 'list' ? KEYS : [])));
    const changed = steps.flatMap((each) => (each.do === 'other' ? each.keys : []));
    if (!changed.some((key) => asked.has(key))) assert.equal(runs, 1);
  });
  await fc.assert(property, { numRuns: 500 });
});
