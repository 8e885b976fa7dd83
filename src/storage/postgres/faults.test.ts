import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { ServiceError } from '../../framework/errors.ts';
import { type PostgresOptions, postgresStore } from '../postgres.ts';
import type { Store } from '../store.ts';
import { SchemaMismatch } from './schema.ts';
import { type Pooler, startPooler } from './testing/pooler.ts';
import { skip, startDatabase, type TestDatabase } from './testing/server.ts';

let database: TestDatabase;
const stores: Store[] = [];
let schemas = 0;

before(async () => {
  if (skip !== false) return;
  database = await startDatabase('max_connections=100');
});
after(async () => {
  if (skip !== false) return;
  for (const store of stores) await store.close();
  await database.stop();
});

const current = (): string => `faults_${schemas}`;

async function fresh(options: Partial<PostgresOptions> = {}): Promise<Store> {
  schemas += 1;
  return another(options);
}

/** One more node on the same schema. */
async function another(options: Partial<PostgresOptions> = {}): Promise<Store> {
  const store = await postgresStore({ url: database.url, schema: current(), ...options });
  stores.push(store);
  return store;
}

async function admin(text: string): Promise<readonly unknown[][]> {
  const client = new Client(database.url);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<unknown[]>({ text, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}

/** Ends all connections of stores and waits until they are, so that new ones begin with the settings of now. */
const endConnections = () =>
  admin("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'keyhold'");

const put = (store: Store, ...keys: string[]): Promise<void> =>
  store.transact((tx) => {
    for (const key of keys) tx.put(key, Buffer.from('v'));
  });
const get = (store: Store, key: string): Promise<string | undefined> =>
  store.transact(async (tx) => (await tx.get(key))?.toString());
const increment = (store: Store): Promise<void> =>
  store.transact(async (tx) => tx.put('n', Buffer.from(String(Number((await tx.get('n')) ?? 0) + 1))));

/** A 503 with Retry-After and this sentence; nothing of the database's own words. */
const away = (sentence: RegExp) => (error: unknown) => {
  assert.ok(error instanceof ServiceError, String(error));
  assert.equal(error.status, 503);
  assert.deepEqual(error.headers, [['Retry-After', '1']]);
  assert.match(error.message, sentence);
  return true;
};

/** Pairs of records, written by `clients` at once until `ready`: of each that was answered both must be found. */
async function writePairs(writers: readonly Store[], clients: number, during: () => Promise<void>) {
  const answered = new Set<string>();
  const tried = new Set<string>();
  let busy = true;
  const all = Array.from({ length: clients }, async (_, client) => {
    for (let i = 0; busy; i++) {
      const store = writers[client % writers.length];
      const name = `${client}-${i}`;
      tried.add(name);
      try {
        if (store !== undefined) await put(store, `a/${name}`, `b/${name}`);
        answered.add(name);
      } catch (error) {
        away(/./)(error);
        await pause(5);
      }
    }
  });
  await during();
  busy = false;
  await Promise.all(all);
  return { answered, tried };
}

async function assertWhole(store: Store, { answered, tried }: { answered: Set<string>; tried: Set<string> }) {
  const [a, b] = await store.transact(async (tx) => [
    await tx.list({ prefix: 'a/', after: '', limit: 1_000_000 }),
    await tx.list({ prefix: 'b/', after: '', limit: 1_000_000 }),
  ]);
  assert.deepEqual(a, b, 'writes are whole or absent');
  const found = new Set(a);
  for (const name of answered) assert.ok(found.has(name), `${name} was answered`);
  for (const name of found) assert.ok(tried.has(name));
  assert.ok(answered.size > 20, String(answered.size));
}

describe('connections', { skip }, () => {
  test('that are ended at random under increments of two nodes: each counts once, none fails', async () => {
    const [one, two] = [await fresh(), await another()];
    let busy = true;
    const killer = (async (): Promise<number> => {
      let killed = 0;
      while (busy) {
        const rows = await admin(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'keyhold' ORDER BY random() LIMIT 2",
        );
        killed += rows.length;
        await pause(15);
      }
      return killed;
    })();
    try {
      for (let i = 0; i < 60; i++) await Promise.all([increment(one), increment(two), increment(one)]);
    } finally {
      busy = false;
    }
    const killed = await killer;
    assert.ok(killed > 10, String(killed));
    assert.equal(await get(one, 'n'), '180');
  });

  test('an answer that is lost after the commit is asked for again, and the write not made again', async () => {
    let pooler: Pooler | undefined;
    try {
      pooler = await startPooler(database, 2);
      const store = await fresh({ url: pooler.url });
      for (let i = 1; i <= 5; i++) {
        pooler.loseAnswerTo('commit_1');
        let runs = 0;
        await store.transact(async (tx) => {
          runs += 1;
          tx.put('n', Buffer.from(String(Number((await tx.get('n')) ?? 0) + 1)));
        });
        assert.equal(await get(store, 'n'), String(i));
        assert.equal(runs, 1);
      }
    } finally {
      await pooler?.stop();
    }
  });
});

describe('the database', { skip }, () => {
  test('crashes in mid-commit and comes back: answered writes are kept, the others whole or absent', async () => {
    const [one, two] = [await fresh(), await another({ patienceMillis: 50 })];
    const seen = await writePairs([one, two], 16, async () => {
      for (let i = 0; i < 2; i++) {
        await pause(300);
        await database.restart(true);
      }
      await pause(100);
    });
    await assertWhole(one, seen);
  });

  test('is away: 503, and service again without a restart once it is back', async () => {
    const errors: unknown[] = [];
    const store = await fresh({ patienceMillis: 100, onError: (error) => errors.push(error) });
    await put(store, 'a');
    await database.down();
    await assert.rejects(get(store, 'a'), away(/^the store does not answer: try again$/));
    const begun = performance.now();
    await assert.rejects(put(store, 'b'), away(/nothing was written/));
    assert.ok(performance.now() - begun < 1_000, 'who comes later is not kept waiting');
    await assert.rejects(postgresStore({ url: database.url, startMillis: 100 }), /ECONNREFUSED/);
    await database.up();
    assert.equal(await get(store, 'a'), 'v');
    await put(store, 'b');
    assert.ok(errors.length >= 1);
  });

  test('is away for less than the patience of a request, which is then served', async () => {
    const store = await fresh({ patienceMillis: 5_000 });
    await put(store, 'a');
    await database.down();
    const [read, written] = [get(store, 'a'), put(store, 'b')];
    await database.up();
    await Promise.all([read, written]);
    assert.equal(await get(store, 'b'), 'v');
  });

  test('is a standby: nothing is read or written there, until it is promoted', async () => {
    const store = await fresh({ patienceMillis: 100 });
    await put(store, 'a');
    await database.down();
    await database.upAsStandby();
    await assert.rejects(get(store, 'a'), away(/does not answer/));
    await assert.rejects(put(store, 'b'), away(/takes no writes at present: nothing was written/));
    await admin('SELECT pg_promote()');
    assert.equal(await get(store, 'a'), 'v');
    await put(store, 'b');
  });

  test('is read-only: what is there is read, writes are 503', async () => {
    const store = await fresh({ patienceMillis: 100 });
    await put(store, 'a');
    await admin('ALTER DATABASE postgres SET default_transaction_read_only = on');
    await endConnections();
    try {
      await assert.rejects(put(store, 'b'), away(/takes no writes at present/));
      assert.equal(await get(store, 'a'), 'v');
    } finally {
      await admin('BEGIN READ WRITE; ALTER DATABASE postgres RESET default_transaction_read_only; COMMIT');
    }
    await put(store, 'b');
  });

  test('is full: nothing is written, and a sentence says so', async () => {
    const store = await fresh();
    await put(store, 'a');
    await admin(`CREATE FUNCTION ${current()}.full() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
      CREATE TRIGGER full_disk BEFORE INSERT ON ${current()}.records EXECUTE FUNCTION ${current()}.full()`);
    await assert.rejects(put(store, 'b'), away(/^the store is full: nothing was written; free disk space/));
    assert.equal(await get(store, 'a'), 'v');
    await admin(`DROP TRIGGER full_disk ON ${current()}.records`);
    await put(store, 'b');
    assert.equal(await get(store, 'b'), 'v');
  });

  test('is slow: a statement is given up after its time; the write may be made later, whole', async () => {
    const store = await fresh({ statementMillis: 300 });
    await put(store, 'a');
    await admin(`CREATE FUNCTION ${current()}.slow() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$;
      CREATE TRIGGER slow AFTER INSERT ON ${current()}.records EXECUTE FUNCTION ${current()}.slow()`);
    await assert.rejects(put(store, 'b', 'c'), away(/did not confirm the write, which may have been made/));
    const patient = await another({ statementMillis: 20_000 });
    await put(patient, 'd');
    assert.equal(await get(patient, 'b'), await get(patient, 'c'));
  });

  test('is locked: nothing is written, and what was given up does not wait there any longer', async () => {
    const store = await fresh({ statementMillis: 2_000 });
    await put(store, 'a');
    const blocker = new Client(database.url);
    await blocker.connect();
    await blocker.query(`BEGIN; LOCK TABLE ${current()}.records IN ACCESS EXCLUSIVE MODE`);
    const list = () => store.transact((tx) => tx.list({ prefix: '', after: '', limit: 9 }));
    await Promise.all([
      assert.rejects(get(store, 'a'), away(/does not answer/)),
      assert.rejects(list(), away(/does not answer/)),
      assert.rejects(put(store, 'b'), away(/took too long: nothing was written|did not confirm/)),
    ]);
    const waiting = async (): Promise<number> => {
      const [row] = await admin(
        `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'keyhold' AND wait_event_type = 'Lock'`,
      );
      return Number(row?.[0]);
    };
    for (const until = performance.now() + 20_000; (await waiting()) > 0; ) {
      assert.ok(performance.now() < until, 'statements that were given up still wait');
      await pause(50);
    }
    await blocker.query('COMMIT');
    await blocker.end();
    await put(store, 'c');
    assert.equal(await get(store, 'b'), undefined);
  });

  test('leaves transactions at another level than is needed: nothing is written', async () => {
    await admin("ALTER DATABASE postgres SET default_transaction_isolation = 'repeatable read'");
    const store = await fresh();
    try {
      await assert.rejects(put(store, 'a'), { name: 'ServiceError', status: 503 });
    } finally {
      await admin('ALTER DATABASE postgres RESET default_transaction_isolation');
    }
    await endConnections();
    await put(store, 'a');
  });

  test('is asked for too many long lists at once: the one that finds no place is 503', async () => {
    const store = await fresh({ poolSize: 4, statementMillis: 300 });
    const hold = () => store.transact((tx) => tx.hold());
    const first = await hold();
    await assert.rejects(hold(), away(/too many long lists/));
    first();
    (await hold())();
    await put(store, 'a');
  });
});

test('TLS: what is verified, by the mode of the URL', { skip }, async () => {
  const file = (name: string): string => new URL(`../../../../test/vectors/tls/${name}.pem`, import.meta.url).pathname;
  await database.useTls(readFileSync(file('cert'), 'utf8'), readFileSync(file('key'), 'utf8'));
  schemas += 1;
  const by = (host: string, parameters: string): Promise<Store> =>
    another({ url: `${database.url.replace('127.0.0.1', host)}?${parameters}` });
  const root = `sslrootcert=${encodeURIComponent(file('cert'))}`;
  for (const [host, parameters] of [
    ['127.0.0.1', `sslmode=verify-full&${root}`],
    ['localhost', `sslmode=verify-full&${root}`],
    // Another way to write the same address, which the certificate does not name.
    ['127.1', `sslmode=verify-ca&${root}`],
    ['127.1', 'sslmode=require'],
  ] as const) {
    await put(await by(host, parameters), 'a');
  }
  const [row] = await admin(
    "SELECT count(*), bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'keyhold'",
  );
  assert.ok(Number(row?.[0]) >= 4);
  assert.equal(row?.[1], true);
  await assert.rejects(by('127.1', `sslmode=verify-full&${root}`), /does not match certificate's altnames/);
  await assert.rejects(by('127.1', root), /does not match certificate's altnames/);
  await assert.rejects(by('127.0.0.1', 'sslmode=verify-full'), /self-signed certificate/);
});

describe('the schema', { skip }, () => {
  test('of a newer version is used where that allows it, refused where not', async () => {
    const store = await fresh();
    await put(store, 'a');
    await admin(`UPDATE ${current()}.version SET version = 2`);
    assert.equal(await get(await another(), 'a'), 'v');
    await admin(`UPDATE ${current()}.version SET usable_from = 2`);
    await assert.rejects(another(), (error) => {
      assert.ok(error instanceof SchemaMismatch);
      assert.match(error.message, /has version 2, made by a newer server; this one knows 1: start a newer one/);
      return true;
    });
  });

  test('is made by one of many nodes that start at once, also where a role may make no schema', async () => {
    await fresh();
    schemas += 1;
    await admin(`CREATE ROLE bounded LOGIN PASSWORD 'p'; CREATE SCHEMA ${current()} AUTHORIZATION bounded`);
    const url = `postgres://bounded:wrong@127.0.0.1:${database.port}/postgres`;
    const opened = await Promise.all(Array.from({ length: 6 }, () => another({ url, password: () => 'p' })));
    await Promise.all(opened.map((store, i) => put(store, `k${i}`)));
    const [first] = opened;
    assert.ok(first !== undefined);
    assert.equal((await first.transact((tx) => tx.list({ prefix: '', after: '', limit: 9 }))).length, 6);
    await assert.rejects(another({ url }), /password authentication failed/);
  });
});
