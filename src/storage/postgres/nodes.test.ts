import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Client } from 'pg';
import { postgresStore } from '../postgres.ts';
import type { Store, Transaction } from '../store.ts';
import { type Pooler, startPooler } from './testing/pooler.ts';
import { skip, startDatabase, type TestDatabase } from './testing/server.ts';

let database: TestDatabase;
let pooler: Pooler;
const stores: Store[] = [];
let schemas = 0;

before(async () => {
  if (skip !== false) return;
  database = await startDatabase('max_connections=200', 'fsync=off');
  pooler = await startPooler(database, 4);
});
after(async () => {
  if (skip !== false) return;
  for (const store of stores) await store.close();
  await pooler.stop();
  await database.stop();
});

/** Stores of as many nodes, which start at once on nothing. */
async function nodes(count: number, url = database.url): Promise<Store[]> {
  schemas += 1;
  const schema = `nodes_${schemas}`;
  const opened = await Promise.all(Array.from({ length: count }, () => postgresStore({ url, schema })));
  stores.push(...opened);
  return opened;
}

async function pair(url = database.url): Promise<readonly [Store, Store]> {
  const [one, two] = await nodes(2, url);
  assert.ok(one !== undefined && two !== undefined);
  return [one, two];
}

const text = (value: Buffer | undefined): string | undefined => value?.toString();
const put = (store: Store, records: Readonly<Record<string, string>>): Promise<void> =>
  store.transact((tx) => {
    for (const [key, value] of Object.entries(records)) tx.put(key, Buffer.from(value));
  });
const get = (store: Store, key: string): Promise<string | undefined> =>
  store.transact(async (tx) => text(await tx.get(key)));
const increment = (store: Store): Promise<void> =>
  store.transact(async (tx) => tx.put('n', Buffer.from(String(Number((await tx.get('n')) ?? 0) + 1))));
const each = <T>(count: number, stores: readonly Store[], run: (store: Store, i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(
    Array.from({ length: count }, (_, i) => {
      const store = stores[i % stores.length];
      if (store === undefined) throw new Error('no store');
      return run(store, i);
    }),
  );

for (const [way, url] of [
  ['directly', () => database.url],
  ['through a pooler in transaction mode', () => pooler.url],
] as const) {
  describe(`two nodes on one database, ${way}`, { skip }, () => {
    test('64 increments over both lose none', async () => {
      const both = await pair(url());
      await each(64, both, increment);
      assert.equal(await get(both[0], 'n'), '64');
      assert.equal(await get(both[1], 'n'), '64');
    });

    test('of 64 that compare and set, one wins', async () => {
      const both = await pair(url());
      const won = await each(64, both, (store, i) =>
        store.transact(async (tx) => {
          if ((await tx.get('cas')) !== undefined) return false;
          tx.put('cas', Buffer.from(String(i)));
          return true;
        }),
      );
      assert.equal(won.filter((one) => one).length, 1);
    });

    test('what one answered, the other reads at once', async () => {
      const [one, two] = await pair(url());
      for (let i = 0; i < 50; i++) {
        await put(one, { k: String(i) });
        assert.equal(await get(two, 'k'), String(i));
      }
    });

    test('a held snapshot stays as it was while the other node writes', async () => {
      const [one, two] = await pair(url());
      await put(one, { 'f/a': '1' });
      const { tx, release } = await one.transact(async (tx) => {
        await tx.get('f/a');
        return { tx, release: tx.hold() };
      });
      await put(two, { 'f/b': '2' });
      assert.deepEqual(await tx.list({ prefix: 'f/', after: '', limit: 9 }), ['a']);
      assert.equal(text((await tx.getMany(['f/b']))[0]), undefined);
      release();
    });
  });
}

/** Ways to read that `x` is there, and later `y`: each pair in two trips. */
const looks: readonly (readonly [string, (tx: Transaction, key: string) => Promise<boolean>])[] = [
  ['get', async (tx, key) => (await tx.get(key)) !== undefined],
  ['range', async (tx, key) => (await tx.range({ start: key, end: `${key}z`, limit: 5 })).length > 0],
  ['list', async (tx, key) => (await tx.list({ prefix: '', after: '', limit: 99 })).includes(key)],
];

describe('reads in several trips', { skip }, () => {
  for (const [first, lookFirst] of looks) {
    for (const [second, lookSecond] of looks) {
      test(`${first} then ${second}: what was seen of two moments is told nobody`, async () => {
        const [one, two] = await pair();
        let runs = 0;
        const torn = (): Promise<string> =>
          one.transact(async (tx) => {
            runs += 1;
            const x = await lookFirst(tx, 'x');
            if (runs === 1) await put(two, { x: '1', y: '1' });
            const y = await lookSecond(tx, 'y');
            if (x !== y) throw new Error('torn');
            return `${x} ${y}`;
          });
        assert.equal(await torn(), 'true true');
        assert.equal(runs, 2);
      });

      test(`${first} then ${second}: no write skew over two nodes`, async () => {
        const both = await pair();
        const insert = (store: Store, own: string, other: string): Promise<boolean> =>
          store.transact(async (tx) => {
            if (await lookFirst(tx, other)) return false;
            if (await lookSecond(tx, own)) return false;
            tx.put(own, Buffer.from('1'));
            return true;
          });
        const inserted = await Promise.all([insert(both[0], 'x', 'y'), insert(both[1], 'y', 'x')]);
        assert.deepEqual(inserted.sort(), [false, true]);
      });
    }
  }

  test('take one trip for each that waits for the one before, one for all of one turn, and none to be validated', async () => {
    const [store] = await nodes(1, pooler.url);
    assert.ok(store !== undefined);
    await put(store, { a: '1', b: '2', 'f/c': '3' });
    const trips = async (fn: (tx: Transaction) => Promise<unknown>): Promise<number> => {
      const before = pooler.trips();
      await store.transact(fn);
      return pooler.trips() - before;
    };
    assert.equal(await trips(async (tx) => [await tx.get('a'), await tx.get('b'), await tx.get('c')]), 3);
    assert.equal(await trips((tx) => Promise.all([tx.get('a'), tx.get('b'), tx.getMany(['c', 'd'])])), 1);
    const list = { prefix: 'f/', after: '', limit: 9 };
    assert.equal(await trips(async (tx) => [await tx.get('a'), await tx.list(list)]), 2);
    // A listing has no version that a later read could ask for, so the whole is validated at its end.
    assert.equal(await trips(async (tx) => [await tx.list(list), await tx.get('a')]), 3);
    assert.equal(await trips(async (tx) => tx.put('a', (await tx.get('b')) ?? Buffer.alloc(0))), 2);
    const before = pooler.trips();
    await Promise.all(Array.from({ length: 32 }, (_, i) => get(store, `k${i}`)));
    assert.equal(pooler.trips() - before, 1);
  });
});

describe('time', { skip }, () => {
  test('is the database’s, and no node goes behind what a commit of another has seen', async () => {
    const [one, two] = await pair();
    const now = (store: Store): Promise<number> =>
      store.transact(async (tx) => {
        await tx.get('a');
        return tx.now;
      });
    const [before, at, behind] = [Date.now(), await now(one), Date.now()];
    assert.ok(before - 2 <= at && at <= behind, `${before} ${at} ${behind}`);
    const admin = new Client(database.url);
    await admin.connect();
    // As if the database's clock had been an hour ahead, and were set right.
    const ahead = Date.now() + 3_600_000;
    await admin.query(`SELECT setval('nodes_${schemas}.clock', ${ahead})`);
    await admin.end();
    assert.ok((await now(one)) >= ahead);
    assert.ok((await now(two)) >= ahead);
  });
});

test('the stand-in for a pooler keeps no session, and refuses what PgBouncer refuses', { skip }, async () => {
  const client = new Client(pooler.url);
  await client.connect();
  const named = { name: 'kept', text: 'SELECT $1::int', values: [1] };
  await client.query(named);
  await assert.rejects(client.query(named), /prepared statement "kept" does not exist/);
  await client.query("SET application_name = 'kept'");
  assert.notEqual((await client.query('SHOW application_name')).rows[0].application_name, 'kept');
  await client.end();
  const other = new Client({ connectionString: pooler.url, statement_timeout: 100 });
  await assert.rejects(other.connect(), /unsupported startup parameter/);
});
