import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Barrier } from '../src/barrier/index.ts';
import { MountStore } from '../src/core/mount-store.ts';
import { readMounts } from '../src/core/state.ts';
import { History } from '../src/engines/kv/history.ts';
import { dataKey, newSecret, putSecret } from '../src/engines/kv/secret.ts';
import { lmdbStore } from '../src/storage/lmdb.ts';
import { at } from '../test/faults/client.ts';

/** Secrets of one transaction: each is two records, and a transaction touches at most 1,000 keys. */
const BATCH = 400;
const IN_FLIGHT = 8;

/**
 * Writes secrets of one version into `secret/` of a development server that is stopped: as the engine stores them, but
 * many in one transaction.
 */
export async function fill(folder: string, paths: Iterable<string>): Promise<void> {
  const store = lmdbStore(join(folder, 'store'));
  try {
    const barrier = new Barrier(store);
    const secrets: unknown = JSON.parse(readFileSync(join(folder, 'dev.json'), 'utf8'));
    await barrier.submit(Buffer.from(String(at(secrets, 'unseal_key')), 'base64'));
    const mount = (await barrier.transact(readMounts)).find(({ path }) => path === 'secret/');
    if (mount === undefined) throw new Error('secret/ is not mounted');
    const batches = inBatches(paths);
    const data = Buffer.from('{"user":"ada","password":"correct horse battery staple"}');
    const writer = async (): Promise<void> => {
      for (const batch of batches) {
        await barrier.transact((tx) => {
          const target = new MountStore(tx, mount.uuid, () => {});
          const history = History.none.append({ created: tx.now }, 0);
          for (const path of batch) {
            const secret = { ...newSecret({ now: tx.now, random: (bytes) => tx.random(bytes) }), current: 1, history };
            putSecret(target, path, secret);
            target.put(dataKey(secret, 1), data);
          }
        });
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, writer));
  } finally {
    await store.close();
  }
}

function* inBatches(paths: Iterable<string>): Generator<readonly string[], void> {
  let batch: string[] = [];
  for (const path of paths) {
    batch.push(path);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
