// A process of histories at the level of the store: opens the store that its argument names, and runs the transactions
// that it is sent.
import { ServiceError } from '../../../src/framework/errors.ts';
import { lmdbStore } from '../../../src/storage/lmdb.ts';
import { postgresStore } from '../../../src/storage/postgres.ts';
import type { Store } from '../../../src/storage/store.ts';
import type { Result } from '../track.ts';
import { resultOf503 } from './asker.ts';
import { perform, Thrown } from './perform.ts';
import type { Done, Opening, Order } from './store-node.ts';

function open(opening: Opening): Store | Promise<Store> {
  return opening.store === 'lmdb' ? lmdbStore(opening.folder) : postgresStore(opening);
}

async function resultOf(store: Store, { program, prefix }: Order): Promise<Result> {
  try {
    return { kind: 'answered', output: await store.transact((tx) => perform(tx, program, prefix)) };
  } catch (error) {
    if (error instanceof Thrown) return { kind: 'answered', output: error.message };
    if (error instanceof ServiceError && error.status === 503) return resultOf503(error.message);
    return { kind: 'answered', output: `threw ${String(error)}` };
  }
}

const store = await open(JSON.parse(process.argv[2] ?? ''));
process.on('message', (order: Order) => {
  void resultOf(store, order).then((result) => {
    const done: Done = { id: order.id, result };
    process.send?.(done);
  });
});
// Whoever started it is gone.
process.on('disconnect', () => process.exit());
process.send?.('ready');
