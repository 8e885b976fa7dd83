import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Barrier, type SealedTransaction } from '../src/barrier/index.ts';
import { lmdbStore } from '../src/storage/lmdb.ts';
import { postgresStore } from '../src/storage/postgres.ts';
import type { Store } from '../src/storage/store.ts';
import { putAccessor } from '../src/tokens/accessor.ts';
import { noteAgain } from '../src/tokens/holding.ts';
import { putTokenLease } from '../src/tokens/lease.ts';
import { putToken, tokenKey } from '../src/tokens/store.ts';
import type { Origin, TokenRecord } from '../src/tokens/token.ts';
import { at } from '../test/faults/client.ts';

/** Each is four records, and a transaction touches at most 1,000. */
const BATCH = 200;
const IN_FLIGHT = 8;

/** The value of a token that was filled in. */
export const tokenOf = (i: number): string => `token-${i}`;

/** Puts one thing by its number. */
export type Put = (tx: SealedTransaction, i: number) => void;

/** Opens the store of a development server that is not running: on LMDB in its folder, or by the address of a database. */
export const opener = (data: string, database: string | undefined) => async (): Promise<Store> =>
  database === undefined ? lmdbStore(join(data, 'store')) : postgresStore({ url: database, poolSize: 16 });

/** Puts so many things into a store past the server, and closes it. */
export async function fill(store: Store, data: string, count: number, put: Put): Promise<void> {
  try {
    const barrier = new Barrier(store);
    const secrets: unknown = JSON.parse(readFileSync(join(data, 'dev.json'), 'utf8'));
    await barrier.submit(Buffer.from(String(at(secrets, 'unseal_key')), 'base64'));
    let next = 0;
    const writer = async (): Promise<void> => {
      while (next < count) {
        const first = next;
        next = Math.min(count, first + BATCH);
        const last = next;
        await barrier.transact((tx) => {
          for (let i = first; i < last; i++) put(tx, i);
        });
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, writer));
  } finally {
    await store.close();
  }
}

/**
 * A token that may do what `default` permits.
 * @param end milliseconds since 1970, by the number of the token and the time of its transaction
 */
export const putTokenAt =
  (origin: Origin, end: (i: number, now: number) => number): Put =>
  (tx, i) => {
    const key = tokenKey(tx, tokenOf(i));
    const bare: TokenRecord = {
      ...{ accessor: `accessor-${String(i).padStart(15, '0')}`, type: 'service', policies: ['default'] },
      ...{ displayName: 'ada', path: `auth/token/${origin.path}`, origin, metadata: [], created: tx.now },
      ...{ expires: end(i, tx.now), ttl: 3_600, explicitMaxTtl: 0, period: 0, renewable: true, numUses: 0 },
      ...{ ancestors: [], entityId: '' },
    };
    const record = noteAgain(tx, key, bare);
    putToken(tx, key, record);
    putAccessor(tx, key, record);
    putTokenLease(tx, record);
  };
