import type { Awaitable, Distant, Entry, Listing, Range, Transaction, Writer } from '../storage/store.ts';
import { andThen } from './awaitable.ts';
import { isOwnRecord } from './names.ts';
import type { Session } from './session.ts';

/** Writes that are sealed on their way; a string is stored as UTF-8. */
export interface SealedWriter extends Writer {
  put(key: string, value: Buffer | string): void;
}

/** A transaction whose values pass through the barrier. Names of records stay readable. Sealed meanwhile: 503. */
export interface SealedTransaction extends Transaction {
  put(key: string, value: Buffer | string): void;
  readonly spend: SealedWriter;
  /** The raw sealed bytes: equal to earlier ones only if the record is unchanged. For caches keyed by them. */
  version(key: string): Awaitable<Buffer | undefined>;
  /** The raw bytes of the keyring in this snapshot; takes over a newer one that another node made. */
  keyringVersion(): Awaitable<Buffer>;
  /** base64url HMAC-SHA-256 of `value` under the barrier's MAC key; `label` is a constant of the code, without NUL. */
  mac(label: string, value: string): string;
  /** Seals what is given away instead of stored; the label is a constant of the code. Counts as one seal of the term. */
  sealValue(label: string, plain: string): Buffer;
  /** What `sealValue` sealed under the same label; undefined for anything else. */
  openValue(label: string, sealed: Buffer): Awaitable<Buffer | undefined>;
  /**
   * The decoded record, kept for the whole process while its raw bytes stay the same. `decode` is one function for all
   * calls, not a closure made anew, and nobody changes what it answers. `bytes` is about what the value takes in memory
   * (default: five times its record). For what costs much to compile; the values of secrets do not belong in a cache.
   */
  cached<T>(key: string, decode: (plain: Buffer) => T, bytes?: number): Awaitable<T | undefined>;
}

/** Seals into one `Writer`. */
class SealingWriter implements SealedWriter {
  readonly #writer: Writer;
  readonly #session: Session;

  constructor(writer: Writer, session: Session) {
    this.#writer = writer;
    this.#session = session;
  }

  put(key: string, value: Buffer | string): void {
    refuseOwn(key);
    this.#writer.put(key, this.#session.seal(key, value));
  }

  delete(key: string): void {
    refuseOwn(key);
    this.#session.check();
    this.#writer.delete(key);
  }
}

/** One run of a transaction's function. */
export class SealedView extends SealingWriter implements SealedTransaction {
  readonly #tx: Transaction;
  readonly #session: Session;
  /** What was opened, by its raw record: who asks twice waits for one opening. */
  readonly #opened = new Map<Buffer, Buffer>();

  constructor(tx: Transaction, session: Session) {
    super(tx, session);
    this.#tx = tx;
    this.#session = session;
  }

  get now(): number {
    return this.#tx.now;
  }

  get spend(): SealedWriter {
    return new SealingWriter(this.#tx.spend, this.#session);
  }

  get distant(): Distant | undefined {
    return this.#tx.distant;
  }

  get(key: string): Awaitable<Buffer | undefined> {
    return andThen(this.version(key), (raw) => {
      if (raw === undefined) return undefined;
      const known = this.#opened.get(raw);
      if (known !== undefined) return known;
      return andThen(this.#session.open(this.#tx, key, raw), (plain) => {
        this.#opened.set(raw, plain);
        return plain;
      });
    });
  }

  getMany(keys: readonly string[]): Awaitable<readonly (Buffer | undefined)[]> {
    this.#session.check();
    return andThen(this.#tx.getMany(keys), (raws) =>
      andThen(this.#session.prepare(this.#tx, raws), () =>
        keys.map((key, i) => {
          const raw = raws[i];
          return raw === undefined ? undefined : this.#session.openNow(key, raw);
        }),
      ),
    );
  }

  range(range: Range): Awaitable<readonly Entry[]> {
    this.#session.check();
    return andThen(this.#tx.range(range), (entries) => {
      const raws = entries.map(({ value }) => value);
      return andThen(this.#session.prepare(this.#tx, raws), () =>
        entries.map(({ key, value }) => ({ key, value: this.#session.openNow(key, value) })),
      );
    });
  }

  list(listing: Listing): Awaitable<readonly string[]> {
    this.#session.check();
    return this.#tx.list(listing);
  }

  random(bytes: number): Buffer {
    return this.#tx.random(bytes);
  }

  hold(): () => void {
    return this.#tx.hold();
  }

  version(key: string): Awaitable<Buffer | undefined> {
    this.#session.check();
    return this.#tx.get(key);
  }

  keyringVersion(): Awaitable<Buffer> {
    this.#session.check();
    return this.#session.refresh(this.#tx);
  }

  mac(label: string, value: string): string {
    return this.#session.mac(label, value);
  }

  sealValue(label: string, plain: string): Buffer {
    return this.#session.sealValue(label, plain);
  }

  openValue(label: string, sealed: Buffer): Awaitable<Buffer | undefined> {
    return this.#session.openValue(this.#tx, label, sealed);
  }

  cached<T>(key: string, decode: (plain: Buffer) => T, bytes?: number): Awaitable<T | undefined> {
    return andThen(this.version(key), (raw) => {
      if (raw === undefined) return undefined;
      const held = this.#session.cache.get(key, raw, decode);
      if (held !== undefined) return held.value;
      return andThen(this.#session.open(this.#tx, key, raw), (plain) => {
        const value = decode(plain);
        this.#session.cache.set(key, raw, decode, value, bytes ?? raw.length * 5);
        return value;
      });
    });
  }
}

function refuseOwn(key: string): void {
  if (isOwnRecord(key)) throw new Error(`${key} is the barrier's own record`);
}
