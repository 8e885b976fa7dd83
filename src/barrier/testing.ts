/** Shared by the barrier's tests. */
import assert from 'node:assert/strict';
import { ServiceError } from '../framework/errors.ts';
import type { Store, Transaction } from '../storage/store.ts';
import { Barrier, type BarrierOptions } from './barrier.ts';

/** For `assert.rejects`: a `ServiceError` of this status whose text matches. */
export const refusal =
  (status: number, text: RegExp = /./) =>
  (error: unknown): boolean =>
    error instanceof ServiceError && error.status === status && text.test(error.message);

/** For `assert.rejects`: the 503 of a sealed server. */
export const isSealed = refusal(503, /sealed/);

/** Another node on the store: opens with the shares, keeps what is logged. */
export async function node(
  store: Store,
  keys: readonly Buffer[],
  options: BarrierOptions = {},
): Promise<{ barrier: Barrier; logged: string[] }> {
  const logged: string[] = [];
  const log = (sentence: string, error: unknown): void => void logged.push(`${sentence}: ${error}`);
  const barrier = new Barrier(store, { log, ...options });
  for (const key of keys) await barrier.submit(key);
  assert.equal(barrier.sealed, false);
  return { barrier, logged };
}

/** An initialized and open barrier of one share. */
export async function opened(
  store: Store,
  options: BarrierOptions = {},
): Promise<{ barrier: Barrier; logged: string[]; keys: readonly Buffer[] }> {
  const { keys } = await new Barrier(store, options).init({ shares: 1, threshold: 1 }, () => undefined);
  return { ...(await node(store, keys, options)), keys };
}

/** Writes one value. */
export const put = (barrier: Barrier, key: string, value: string): Promise<void> =>
  barrier.transact((tx) => tx.put(key, value));

/** Reads one value as text. */
export const get = async (barrier: Barrier, key: string): Promise<string | undefined> =>
  (await barrier.transact((tx) => tx.get(key)))?.toString();

/** The bytes as they are stored. */
export const rawGet = (store: Store, key: string): Promise<Buffer> =>
  store.transact(async (tx) => (await tx.get(key)) ?? assert.fail(`${key} is not stored`));

/** Puts bytes into the store behind the barrier's back. */
export const rawPut = (store: Store, key: string, value: Buffer): Promise<void> =>
  store.transact((tx) => tx.put(key, value));

/** A store whose transactions are changed on their way: for faults. */
export function intercepted(store: Store, change: (tx: Transaction) => Transaction): Store {
  return { transact: (fn) => store.transact((tx) => fn(change(tx))), close: () => store.close() };
}
