import { createHmac, randomBytes } from 'node:crypto';
import type { Awaitable, Store, Transaction } from '../storage/store.ts';
import { andThen } from './awaitable.ts';
import { RecordCache } from './cache.ts';
import { CorruptRecord, sealedError } from './errors.ts';
import { KEY_BYTES, Keyring } from './keyring.ts';
import { KEYRING } from './names.ts';
import type { Clock } from './pace.ts';
import { openRecord, sealRecord, type TermKey, termOf } from './record.ts';
import { type Reservation, readUsage, reserve, SealBudget, type UsageLimits } from './usage.ts';

/** What a barrier may be told; every member has a default. */
export interface SessionOptions {
  readonly usage: UsageLimits;
  /** Of decoded records. */
  readonly cacheBytes: number;
  /** Takes what an operator must see; the sentence holds no value of a record. */
  readonly log: (sentence: string, error: unknown) => void;
  /** Monotonic milliseconds: paces attempts and retries. */
  readonly clock: Clock;
}

/** What `sys/key-status` tells. */
export interface KeyStatus {
  readonly term: number;
  /** Milliseconds since 1970. */
  readonly installTime: number;
  readonly encryptions: number;
}

interface Keys {
  readonly root: TermKey;
  readonly keyring: Keyring;
  /** A copy of the raw record that the keyring was read from: a store may reuse its buffers. */
  readonly raw: Buffer;
  readonly budget: SealBudget;
}

/** No storage key: these hold no NUL. */
const valueName = (label: string): string => `\0${label}`;

/** One time of being unsealed: it holds the keys, and after `close` nothing does, whoever still holds the session. */
export class Session {
  readonly cache: RecordCache;
  readonly #store: Store;
  readonly #options: SessionOptions;
  #keys: Keys | undefined;

  constructor(store: Store, root: TermKey, first: Reservation, options: SessionOptions) {
    this.#store = store;
    this.#options = options;
    this.cache = new RecordCache(options.cacheBytes);
    const budget = new SealBudget(first, () => this.#refill(), options.clock);
    this.#keys = { root, keyring: first.keyring, raw: Buffer.from(first.raw), budget };
  }

  /** The keys; the 503 of a sealed server once closed. */
  #open(): Keys {
    if (this.#keys === undefined) throw sealedError();
    return this.#keys;
  }

  /** Throws the 503 of a sealed server once closed. */
  check(): void {
    this.#open();
  }

  seal(storageKey: string, plain: Buffer | string): Buffer {
    return sealRecord(this.#open().budget.take(), storageKey, plain);
  }

  /** Opens a record that `tx` read. */
  open(tx: Transaction, storageKey: string, record: Buffer): Awaitable<Buffer> {
    if (this.#knows(record)) return this.openNow(storageKey, record);
    return andThen(this.refresh(tx), () => this.openNow(storageKey, record));
  }

  /** Gets what `openNow` needs for these records: a term made by another node is in the keyring of their snapshot. */
  prepare(tx: Transaction, records: readonly (Buffer | undefined)[]): Awaitable<unknown> {
    return records.every((record) => record === undefined || this.#knows(record)) ? undefined : this.refresh(tx);
  }

  /** Opens a record of a term that is known. */
  openNow(storageKey: string, record: Buffer): Buffer {
    return this.#reporting(() => {
      const key = this.#term(record);
      if (key === undefined) throw new CorruptRecord(storageKey);
      return openRecord(key, storageKey, record);
    });
  }

  /** Seals what is given away instead of stored; the label, a constant of the code, keeps the uses apart. */
  sealValue(label: string, plain: string): Buffer {
    return this.seal(valueName(label), plain);
  }

  /** Opens what `sealValue` gave away; undefined for anything else. What strangers made up is not for the log. */
  openValue(tx: Transaction, label: string, sealed: Buffer): Awaitable<Buffer | undefined> {
    if (termOf(sealed) === undefined) return undefined;
    return andThen(this.#knows(sealed) ? undefined : this.refresh(tx), () => {
      const key = this.#term(sealed);
      try {
        return key && openRecord(key, valueName(label), sealed);
      } catch (error) {
        if (error instanceof CorruptRecord) return undefined;
        throw error;
      }
    });
  }

  #knows(record: Buffer): boolean {
    return this.#term(record) !== undefined;
  }

  #term(record: Buffer): TermKey | undefined {
    const term = termOf(record);
    return term === undefined ? undefined : this.#open().keyring.get(term);
  }

  /** Takes over the keyring of the snapshot where it is a newer one; answers its raw record. */
  refresh(tx: Transaction): Awaitable<Buffer> {
    return andThen(tx.get(KEYRING), (raw) =>
      this.#reporting(() => {
        const { root, raw: known, budget } = this.#open();
        if (raw === undefined) throw new CorruptRecord(KEYRING);
        if (raw.equals(known)) return raw;
        const keyring = Keyring.open(root, raw);
        this.#adopt(keyring, raw);
        if (keyring.active.term > budget.term) budget.refill();
        return raw;
      }),
    );
  }

  /** A keyring only grows: one with no term more is of an older snapshot. */
  #adopt(keyring: Keyring, raw: Buffer): void {
    if (this.#keys === undefined || keyring.active.term <= this.#keys.keyring.active.term) return;
    this.#keys = { ...this.#keys, keyring, raw: Buffer.from(raw) };
  }

  #reporting<T>(open: () => T): T {
    try {
      return open();
    } catch (error) {
      if (error instanceof CorruptRecord) this.#options.log('a stored record does not open', error);
      throw error;
    }
  }

  /** base64url HMAC-SHA-256 under the MAC key; the label, a constant of the code, keeps the uses apart. */
  mac(label: string, value: string): string {
    const { mac } = this.#open().keyring;
    if (label.includes('\0')) throw new Error('a MAC label holds no NUL');
    return createHmac('sha256', mac).update(`${label}\0${value}`).digest('base64url');
  }

  /** Begins a new term and takes the first block of its seals. */
  async rotate(): Promise<void> {
    await this.#reserve(true);
  }

  async #refill(): Promise<void> {
    try {
      await this.#reserve(false);
    } catch (error) {
      if (this.#keys !== undefined) this.#options.log('no seals could be reserved', error);
      throw error;
    }
  }

  async #reserve(rotate: boolean): Promise<void> {
    const { root, budget } = this.#open();
    const fresh = randomBytes(KEY_BYTES);
    try {
      const got = await this.#store.transact((tx) => reserve(tx, root, fresh, this.#options.usage, rotate));
      this.#adopt(got.keyring, got.raw);
      budget.grant(got);
    } finally {
      fresh.fill(0);
    }
  }

  /** The active term as the store has it, and the seals under it that all nodes may have done: an upper bound. */
  async keyStatus(): Promise<KeyStatus> {
    return this.#store.transact(async (tx) => {
      await this.refresh(tx);
      const { root, keyring, budget } = this.#open();
      const { term, created } = keyring.active;
      const reserved = (await readUsage(tx, root, term)) ?? 0;
      const unused = budget.term === term ? budget.left : 0;
      return { term, installTime: created, encryptions: Math.max(0, reserved - unused) };
    });
  }

  /** Lets go of every key and every decoded record. */
  close(): void {
    this.#keys = undefined;
    this.cache.clear();
  }
}
