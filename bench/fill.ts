import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Barrier, type SealedTransaction } from '../src/barrier/index.ts';
import { MountStore } from '../src/core/mount-store.ts';
import { readMounts } from '../src/core/state.ts';
import { History } from '../src/engines/kv/history.ts';
import { encodePlain } from '../src/engines/kv/plain.ts';
import { dataKey, newId, newSecret, putSecret, secretKey } from '../src/engines/kv/secret.ts';
import { lmdbStore } from '../src/storage/lmdb.ts';
import { at } from '../test/faults/client.ts';

/** Secrets of one transaction: each is at most two records, and a transaction touches at most 1,000 keys. */
const BATCH = 400;
const IN_FLIGHT = 8;

const DATA = Buffer.from('{"user":"ada","password":"correct horse battery staple"}');

/** Puts one secret as the engine stores it. */
type Put = (store: MountStore, path: string, tx: SealedTransaction) => void;

/** Writes secrets of one version into `secret/` of a development server that is stopped, many in one transaction. */
export const fill = (folder: string, paths: Iterable<string>): Promise<void> =>
  put(folder, 'secret/', paths, (store, path, tx) => {
    const history = History.none.append({ created: tx.now }, 0);
    const secret = { ...newSecret({ now: tx.now, random: (bytes) => tx.random(bytes) }), current: 1, history };
    putSecret(store, path, secret);
    store.put(dataKey(secret, 1), DATA);
  });

/** The same for a mount of KV version 1; its path ends in `/`. */
export const fillPlain = (folder: string, mount: string, paths: Iterable<string>): Promise<void> =>
  put(folder, mount, paths, (store, path, tx) => {
    const id = newId(tx.now, (bytes) => tx.random(bytes));
    store.put(secretKey(path), encodePlain({ id, written: tx.now, data: DATA }));
  });

async function put(folder: string, mountPath: string, paths: Iterable<string>, one: Put): Promise<void> {
  const store = lmdbStore(join(folder, 'store'));
  try {
    const barrier = new Barrier(store);
    const secrets: unknown = JSON.parse(readFileSync(join(folder, 'dev.json'), 'utf8'));
    await barrier.submit(Buffer.from(String(at(secrets, 'unseal_key')), 'base64'));
    const mount = (await barrier.transact(readMounts)).find(({ path }) => path === mountPath);
    if (mount === undefined) throw new Error(`${mountPath} is not mounted`);
    const batches = inBatches(paths);
    const writer = async (): Promise<void> => {
      for (const batch of batches) {
        await barrier.transact((tx) => {
          const target = new MountStore(tx, mount.uuid, () => {});
          for (const path of batch) one(target, path, tx);
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
