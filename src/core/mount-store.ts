import type { SealedTransaction } from '../barrier/index.ts';
import { MAX_WRITES, type StoreWriter } from '../framework/context.ts';
import type { Awaitable, Entry, Listing, Range, Writer } from '../storage/store.ts';
import { addPurge } from './job.ts';

/** Where the data of a mount lies: under its uuid, whatever its path is. */
export const mountPrefix = (uuid: string): string => `mount/${uuid}/`;

/** Keyed hashes of one mount: those of another are different. */
export const mountMac =
  (tx: SealedTransaction, uuid: string) =>
  (text: string): string =>
    tx.mac('mount', `${uuid} ${text}`);

/** One mount's part of the store, as its handlers see it. */
export class MountStore implements StoreWriter {
  readonly spend: Writer;
  readonly maxWrites = MAX_WRITES;
  readonly #tx: SealedTransaction;
  readonly #prefix: string;
  readonly #onPurge: () => void;

  /** @param onPurge told of each purge that the transaction is to store */
  constructor(tx: SealedTransaction, uuid: string, onPurge: () => void) {
    const prefix = mountPrefix(uuid);
    this.#tx = tx;
    this.#prefix = prefix;
    this.#onPurge = onPurge;
    this.spend = {
      put: (key, value) => tx.spend.put(prefix + key, value),
      delete: (key) => tx.spend.delete(prefix + key),
    };
  }

  get(key: string): Awaitable<Buffer | undefined> {
    return this.#tx.get(this.#prefix + key);
  }

  getMany(keys: readonly string[]): Awaitable<readonly (Buffer | undefined)[]> {
    return this.#tx.getMany(keys.map((key) => this.#prefix + key));
  }

  async range({ start, end, limit }: Range): Promise<readonly Entry[]> {
    const entries = await this.#tx.range({ start: this.#prefix + start, end: this.#prefix + end, limit });
    return entries.map(({ key, value }) => ({ key: key.slice(this.#prefix.length), value }));
  }

  list(listing: Listing): Awaitable<readonly string[]> {
    return this.#tx.list({ ...listing, prefix: this.#prefix + listing.prefix });
  }

  cached<T>(key: string, decode: (plain: Buffer) => T): Awaitable<T | undefined> {
    return this.#tx.cached(this.#prefix + key, decode);
  }

  put(key: string, value: Buffer): void {
    this.#tx.put(this.#prefix + key, value);
  }

  delete(key: string): void {
    this.#tx.delete(this.#prefix + key);
  }

  purge(prefix: string, before?: string): void {
    if (prefix === '') throw new Error('a mount as a whole is purged when it is disabled');
    addPurge(this.#tx, this.#prefix + prefix, before);
    this.#onPurge();
  }
}
