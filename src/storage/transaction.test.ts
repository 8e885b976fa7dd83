import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Backend, Commit } from './backend.ts';
import { TransactionalStore } from './transaction.ts';

/** A backend without records, of which the test decides what wins. */
function backend(wins: (commit: Commit) => boolean): Backend {
  return {
    snapshot: () => ({
      now: 1,
      get: () => undefined,
      getMany: (keys) => keys.map(() => undefined),
      range: () => [],
      list: () => [],
      mixed: () => false,
      retain: () => {},
      release: () => {},
    }),
    commit: async (take) => take().map(wins),
    close: async () => {},
  };
}

const put = (store: TransactionalStore, key: string): Promise<void> =>
  store.transact((tx) => tx.put(key, Buffer.from('v')));

test('who keeps losing to other nodes gives way to the other commits of its own', async () => {
  let cold = false;
  const store = new TransactionalStore(
    backend(({ writes }) => {
      cold ||= writes.has('cold');
      return cold;
    }),
  );
  const hot = put(store, 'hot');
  // By now the other one runs alone.
  for (let i = 0; i < 200; i++) await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([hot, put(store, 'cold')]);
});

test('who loses without end is told so: five times beside others, 64 times alone', async () => {
  let asked = 0;
  const store = new TransactionalStore(
    backend(() => {
      asked += 1;
      return false;
    }),
  );
  await assert.rejects(put(store, 'hot'), { name: 'ServiceError', status: 503 });
  assert.equal(asked, 5 + 64);
});

/** A backend whose turn comes when the test says so. */
function patient(): { readonly backend: Backend; turn(): void; readonly sizes: number[] } {
  const turns: (() => void)[] = [];
  const sizes: number[] = [];
  const base = backend(() => true);
  const commit: Backend['commit'] = async (take) => {
    await new Promise<void>((resolve) => turns.push(resolve));
    const batch = take();
    sizes.push(batch.length);
    return batch.map(() => true);
  };
  return { backend: { ...base, commit }, turn: () => turns.shift()?.(), sizes };
}

const idle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('what comes while a store waits for its turn goes along', async () => {
  const { backend: waiting, turn, sizes } = patient();
  const store = new TransactionalStore(waiting);
  const writes = [put(store, 'a')];
  await idle();
  writes.push(put(store, 'b'), put(store, 'c'));
  await idle();
  turn();
  await Promise.all(writes);
  assert.deepEqual(sizes, [3]);
});

test('where the store fails before its turn, all that waited is told; what comes later is tried', async () => {
  const base = backend(() => true);
  let fails = true;
  const commit: Backend['commit'] = async (take) => {
    await idle();
    if (fails) throw new Error('no disk');
    return take().map(() => true);
  };
  const store = new TransactionalStore({ ...base, commit });
  const told = await Promise.allSettled([put(store, 'a'), put(store, 'b')]);
  assert.deepEqual(
    told.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  fails = false;
  await put(store, 'c');
});
