import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { open } from 'lmdb';
import { lmdbStore } from './lmdb.ts';
import type { Store } from './store.ts';
import { examine } from './suite.ts';

const folder = (): Promise<string> => mkdtemp(join(tmpdir(), 'keyhold-lmdb-'));

examine('lmdb', async () => {
  const dir = await folder();
  let store = lmdbStore(dir);
  return {
    store,
    reopen: async () => {
      await store.close();
      store = lmdbStore(dir);
      return store;
    },
    discard: async () => {
      await store.close();
      await rm(dir, { recursive: true });
    },
  };
});

const countUp = (store: Store, key: string): Promise<number> =>
  store.transact(async (tx) => {
    const next = Number((await tx.get(key)) ?? 0) + 1;
    tx.put(key, Buffer.from(String(next)));
    return next;
  });

test('a read is fresh: what another process was told is written is seen at once', async () => {
  const dir = await folder();
  const store = lmdbStore(dir);
  // The other process counts up by one for each line, and answers with the number once it is durable.
  const script = `
    const { lmdbStore } = await import(process.argv[1]);
    const { createInterface } = await import('node:readline');
    const store = lmdbStore(process.argv[2]);
    for await (const _ of createInterface({ input: process.stdin })) {
      const next = await store.transact(async (tx) => {
        const next = Number((await tx.get('n')) ?? 0) + 1;
        tx.put('n', Buffer.from(String(next)));
        return next;
      });
      console.log(next);
    }
    await store.close();`;
  const module = new URL('./lmdb.js', import.meta.url).href;
  const other = spawn(process.execPath, ['--input-type=module', '-e', script, module, dir], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: other.stdout })[Symbol.asyncIterator]();
  let stale = 0;
  for (let i = 0; i < 300; i++) {
    other.stdin.write('\n');
    const told = (await answers.next()).value;
    const seen = await store.transact(async (tx) => (await tx.get('n'))?.toString());
    if (seen !== told) stale += 1;
    await countUp(store, 'n');
  }
  other.stdin.end();
  await once(other, 'exit');
  assert.equal(stale, 0);
  assert.equal(await store.transact(async (tx) => Number(await tx.get('n'))), 600);
  await store.close();
  await rm(dir, { recursive: true });
});

test('a commit that fails validation puts nothing, although LMDB would not roll back', async () => {
  const dir = await folder();
  const store = lmdbStore(dir);
  await Promise.all(Array.from({ length: 20 }, () => countUp(store, 'n')));
  let losses = 0;
  await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      store
        .transact(async (tx) => {
          losses += 1;
          await tx.get('n');
          tx.put(`half/${i}`, Buffer.from('1'));
          tx.put('n', Buffer.from('x'));
          if (losses > 8) throw new Error('gave up');
        })
        .catch(() => {}),
    ),
  );
  // One won; the others lost, gave up, and left none of their puts.
  assert.equal((await store.transact((tx) => tx.list({ prefix: 'half/', after: '', limit: 99 }))).length, 1);
  await store.close();
  await rm(dir, { recursive: true });
});

test('a batch that throws in the middle leaves nothing behind, and the next one is applied', async () => {
  const dir = await folder();
  const told: unknown[] = [];
  const store = lmdbStore(dir, { onError: (error) => told.push(error) });
  await store.transact((tx) => tx.put('before', Buffer.from('1')));
  const bad: Buffer = JSON.parse('{"no":"bytes"}');
  const refused = store.transact((tx) => {
    tx.put('half', Buffer.from('1'));
    tx.put('other half', bad);
  });
  await assert.rejects(refused, { name: 'ServiceError', status: 503 });
  assert.equal(told.length, 1);
  assert.equal(await countUp(store, 'n'), 1);
  const names = await store.transact((tx) => tx.list({ prefix: '', after: '', limit: 9 }));
  assert.deepEqual(names, ['before', 'n']);
  await store.close();
  await rm(dir, { recursive: true });
});

test('more snapshots than LMDB has readers are a 503, and those held go on', async () => {
  const dir = await folder();
  const store = lmdbStore(dir, {});
  await store.transact((tx) => tx.put('a', Buffer.from('1')));
  const holds: (() => void)[] = [];
  const hold = async (): Promise<void> => {
    await countUp(store, 'n');
    holds.push(await store.transact((tx) => tx.hold()));
  };
  await assert.rejects(
    async () => {
      for (let i = 0; i < 1_100; i++) await hold();
    },
    { name: 'ServiceError', status: 503 },
  );
  for (const release of holds) release();
  assert.ok(holds.length > 900, `${holds.length} holds`);
  assert.equal(await store.transact(async (tx) => (await tx.get('a'))?.toString()), '1');
  await store.close();
  await rm(dir, { recursive: true });
});

test('transactions leave no readers behind', async () => {
  const dir = await folder();
  const store = lmdbStore(dir);
  await store.transact((tx) => tx.put('a', Buffer.from('1')));
  for (let i = 0; i < 5_000; i++) await store.transact((tx) => tx.get('a'));
  await Promise.all(
    Array.from({ length: 500 }, () => store.transact(async (tx) => [await tx.get('a'), await tx.get('b')])),
  );
  const db = open({ path: dir, maxDbs: 4 });
  const readers = db
    .readerList()
    .split('\n')
    .filter((line) => /^\s*\d/.test(line));
  assert.ok(readers.length <= 4, `${readers.length} readers`);
  await store.close();
  await rm(dir, { recursive: true });
});

test('the clock goes behind no commit of another process, wherever the machine’s was set since', async (t) => {
  const dir = await folder();
  const [one, two] = [lmdbStore(dir), lmdbStore(dir)];
  const start = 1_800_000_000_000;
  let machine = start;
  t.mock.method(Date, 'now', () => machine);
  const now = (store: Store): Promise<number> => store.transact((tx) => tx.now);
  assert.equal(await now(two), start);
  machine = start + 3_600_000;
  await countUp(one, 'n');
  machine = start + 10;
  assert.equal(await now(two), start + 3_600_000);
  machine = start + 3_600_001;
  assert.equal(await now(two), start + 3_600_001);
  await one.close();
  await two.close();
  await rm(dir, { recursive: true });
});
