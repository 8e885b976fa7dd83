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
    commit: async (batch) => batch.map(wins),
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
