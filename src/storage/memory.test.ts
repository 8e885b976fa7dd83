import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from './memory.ts';
import { examine } from './suite.ts';

examine('memory', async () => {
  const store = memoryStore();
  return { store, discard: () => store.close() };
});

examine('memory, every function run twice', async () => {
  const store = memoryStore({ rehearse: true });
  return { store, discard: () => store.close() };
});

test('a commit that the store does not take is a 503, and leaves nothing behind', async () => {
  const store = memoryStore({
    beforeCommit: (batch) => {
      if (batch === 2) throw new Error('disk gone');
    },
  });
  const put = (key: string): Promise<void> => store.transact((tx) => tx.put(key, Buffer.from('v')));
  await put('a');
  await assert.rejects(put('b'), { name: 'ServiceError', status: 503 });
  await put('c');
  assert.deepEqual([...store.contents().keys()], ['a', 'c']);
});

test('a function that always loses is run alone in the end, and wins', async () => {
  const store = memoryStore();
  let runs = 0;
  let busy = true;
  const others = (async (): Promise<void> => {
    for (let i = 0; busy && i < 10_000; i++) await store.transact((tx) => tx.put('hot', Buffer.from(String(i))));
  })();
  await store.transact(async (tx) => {
    runs += 1;
    await tx.get('hot');
    // Lets the others commit in between, as a slow store would.
    for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
    tx.put('mine', Buffer.from('1'));
  });
  busy = false;
  await others;
  assert.equal(runs, 6);
});

test('the clock does not go back when the machine’s does', async () => {
  let time = 1_000;
  const store = memoryStore({ clock: () => time });
  const now = (): Promise<number> => store.transact((tx) => tx.now);
  assert.equal(await now(), 1_000);
  time = 500;
  assert.equal(await now(), 1_000);
  time = 1_001;
  assert.equal(await now(), 1_001);
});
