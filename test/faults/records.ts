import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Barrier } from '../../src/barrier/index.ts';
import { Jobs } from '../../src/core/jobs.ts';
import { MountStore, mountPrefix } from '../../src/core/mount-store.ts';
import { readMounts, State } from '../../src/core/state.ts';
import { engines } from '../../src/engines/index.ts';
import { dataKey, findSecret, firstNumber, METADATA } from '../../src/engines/kv/secret.ts';
import { Engines } from '../../src/framework/engine.ts';
import { lmdbStore } from '../../src/storage/lmdb.ts';
import { at } from './client.ts';
import { checkHoldings } from './holdings.ts';
import { allKeys } from './keys.ts';
import { Violation } from './witness.ts';

/**
 * Opens the store of a stopped development server, lets the jobs that are left go on to their end, and accounts for the
 * records of all KV mounts: each version that is listed has its data, there is no data of any other, and what was
 * unmounted is gone.
 * @returns the number of records
 */
export async function checkRecords(folder: string): Promise<number> {
  const store = lmdbStore(join(folder, 'store'));
  try {
    const barrier = new Barrier(store);
    const secrets: unknown = JSON.parse(readFileSync(join(folder, 'dev.json'), 'utf8'));
    await barrier.submit(Buffer.from(String(at(secrets, 'unseal_key')), 'base64'));
    await finishJobs(barrier);
    const stored = await allKeys(store, 'mount/');
    const accounted = new Set<string>();
    for (const { uuid, type } of await barrier.transact(readMounts)) {
      if (type !== 'kv') continue;
      const metadata = mountPrefix(uuid) + METADATA;
      for (const key of stored) {
        if (!key.startsWith(metadata)) continue;
        accounted.add(key);
        for (const wanted of await dataOf(barrier, uuid, key.slice(metadata.length))) accounted.add(wanted);
      }
    }
    const there = new Set(stored);
    const orphans = stored.filter((key) => !accounted.has(key));
    const missing = [...accounted].filter((key) => !there.has(key));
    if (orphans.length + missing.length > 0) throw new Violation('records do not agree', { orphans, missing });
    return stored.length + (await checkHoldings(barrier, store));
  } finally {
    await store.close();
  }
}

const LONGEST_MILLIS = 10_000;

async function finishJobs(barrier: Barrier): Promise<void> {
  const silent = (): void => {};
  const log = { info: silent, warn: silent, error: silent };
  const state = new State({ defaultTtl: 3_600, maxTtl: 7_200 });
  const jobs = new Jobs({ barrier, log, state, engines: new Engines(engines) }, { everyMilliseconds: 200 });
  jobs.start();
  const end = performance.now() + LONGEST_MILLIS;
  while ((await jobs.list()).length > 0) {
    if (performance.now() > end) throw new Violation('jobs do not come to their end', { jobs: await jobs.list() });
    await pause(10);
  }
  await jobs.stop();
}

/** Keys of the data that a secret must have. */
function dataOf(barrier: Barrier, uuid: string, path: string): Promise<readonly string[]> {
  return barrier.transact(async (tx) => {
    const secret = await findSecret(new MountStore(tx, uuid, () => {}), path);
    // What an unversioned mount wrote holds its data itself, until it is changed.
    if (secret === undefined || secret.inline !== undefined) return [];
    const keys: string[] = [];
    for (let i = 0; i < secret.history.length; i++) {
      const destroyed = secret.history.at(i)?.destroyed === true;
      if (!destroyed) keys.push(mountPrefix(uuid) + dataKey(secret, firstNumber(secret) + i));
    }
    return keys;
  });
}
