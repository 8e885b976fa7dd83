import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Barrier } from '../../src/barrier/index.ts';
import { mountPrefix } from '../../src/core/mount-store.ts';
import { readMounts } from '../../src/core/state.ts';
import { dataKey, findSecret, METADATA, numbered } from '../../src/engines/kv/secret.ts';
import { lmdbStore } from '../../src/storage/lmdb.ts';
import type { Store } from '../../src/storage/store.ts';
import { at } from './client.ts';
import { Violation } from './witness.ts';

/**
 * Opens the store of a stopped development server and accounts for the records of all KV mounts: each version that is
 * listed has its data, there is no data of any other, and what was unmounted is gone.
 * @returns the number of records
 */
export async function checkRecords(folder: string): Promise<number> {
  const store = lmdbStore(join(folder, 'store'));
  try {
    const barrier = new Barrier(store);
    const secrets: unknown = JSON.parse(readFileSync(join(folder, 'dev.json'), 'utf8'));
    await barrier.submit(Buffer.from(String(at(secrets, 'unseal_key')), 'base64'));
    const mounts = await barrier.transact(readMounts);
    const stored = await allKeys(store, 'mount/');
    const accounted = new Set<string>();
    for (const { uuid, type } of mounts) {
      if (type !== 'kv') continue;
      const prefix = mountPrefix(uuid);
      for (const key of stored) {
        if (!key.startsWith(prefix + METADATA)) continue;
        accounted.add(key);
        for (const wanted of await barrier.transact((tx) => dataOf(tx, prefix, key))) accounted.add(wanted);
      }
    }
    const orphans = stored.filter((key) => !accounted.has(key));
    const there = new Set(stored);
    const missing = [...accounted].filter((key) => !there.has(key));
    if (orphans.length + missing.length > 0) throw new Violation('records do not agree', { orphans, missing });
    return stored.length;
  } finally {
    await store.close();
  }
}

type Reading = Parameters<Parameters<Barrier['transact']>[0]>[0];

/** Keys of the data that a secret, named by the key of its metadata, must have. */
async function dataOf(tx: Reading, prefix: string, key: string): Promise<readonly string[]> {
  const path = key.slice((prefix + METADATA).length);
  const reader = {
    get: (name: string) => tx.get(prefix + name),
    getMany: (names: readonly string[]) => tx.getMany(names.map((name) => prefix + name)),
    range: tx.range.bind(tx),
    list: tx.list.bind(tx),
    cached: <T>(name: string, decode: (plain: Buffer) => T) => tx.cached(prefix + name, decode),
  };
  const secret = await findSecret(reader, path);
  if (secret === undefined) return [];
  const kept = numbered(secret).filter(({ version }) => version.destroyed !== true);
  return kept.map(({ number }) => prefix + dataKey(path, number));
}

const PAGE = 500;

async function allKeys(store: Store, prefix: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for (let start = prefix; ; ) {
    const page = await store.transact((tx) => tx.range({ start, end: `${prefix}\u{10ffff}`, limit: PAGE }));
    keys.push(...page.map(({ key }) => key));
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return keys;
    start = `${last.key}\0`;
  }
}
