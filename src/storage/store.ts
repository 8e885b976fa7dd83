/**
 * The storage contract. Keys are well-formed strings ordered by their UTF-8 bytes; values are bytes. Every store passes
 * `suite.ts`, and nothing above this file knows which one it runs on.
 */

/** A value that may be there at once: an embedded store answers without a promise, a remote one with it. */
export type Awaitable<T> = T | PromiseLike<T>;

/** One record of a range. */
export interface Entry {
  readonly key: string;
  readonly value: Buffer;
}

/** Half-open: `start` ≤ key < `end`. At most `limit` entries. */
export interface Range {
  readonly start: string;
  readonly end: string;
  readonly limit: number;
}

/** Direct children of a folder: names, those that are folders themselves ending in `/`; sorted by UTF-8 bytes. */
export interface Listing {
  /** Ends in `/`, or is empty. */
  readonly prefix: string;
  /** Only names after this one, which need not exist; empty for all. */
  readonly after: string;
  /** At most this many names; a positive integer. */
  readonly limit: number;
}

/** Reads of one snapshot. */
export interface Reader {
  /** The store's clock, milliseconds since 1970; one value for the whole transaction; never backwards. */
  readonly now: number;
  get(key: string): Awaitable<Buffer | undefined>;
  /** Independent reads that go in one trip; answers in the order of the keys. */
  getMany(keys: readonly string[]): Awaitable<readonly (Buffer | undefined)[]>;
  range(range: Range): Awaitable<readonly Entry[]>;
  list(listing: Listing): Awaitable<readonly string[]>;
}

/** Buffered changes, applied all or nothing at the commit. */
export interface Writer {
  put(key: string, value: Buffer): void;
  delete(key: string): void;
}

/**
 * What saves trips where the store is distant. It never changes an answer: what was prefetched counts as read only once it
 * is asked for.
 */
export interface Distant {
  /** A guess: these will be read, so they come along with the next trip. At most `MAX_PREFETCH` keys of a transaction do. */
  prefetch(keys: readonly string[]): void;
  /** The keys of single records that were read so far, and of those that are to be put: guesses for the next time. */
  touched(): { readonly read: readonly string[]; readonly put: readonly string[] };
}

/**
 * What a function given to `transact` works with. It awaits nothing but this, may run several times, and has no other
 * effect; time is `now` and randomness `random`.
 */
export interface Transaction extends Reader, Writer {
  random(bytes: number): Buffer;
  /** Undefined where reads make no trips: then what would be said is not even worked out. */
  readonly distant: Distant | undefined;
  /**
   * Keeps the snapshot readable when the transaction is over, for an answer that is sent in pieces: until what is
   * returned is called, at most `MAX_HOLD_MILLIS`. Reads after that throw. What is read then is not validated.
   */
  hold(): () => void;
  /** Writes that are committed even where the function throws: a use, an attempt, a state that is used up. */
  readonly spend: Writer;
}

/** Serializable, optimistic transactions over ordered bytes. */
export interface Store {
  /**
   * Runs `fn` on a snapshot and commits what it wrote, durably, before the promise resolves. Where something that it
   * read has changed meanwhile it is run again. Where `fn` throws, its writes are dropped, what it spent is committed,
   * and the error is thrown on. A function that wrote nothing commits nothing.
   *
   * Errors: 503 `ServiceError` where conflicts do not end or the store is away.
   */
  transact<T>(fn: (tx: Transaction) => Awaitable<T>): Promise<T>;
  close(): Promise<void>;
}

/** A transaction touches at most this much; larger work is a stored job that goes on in batches. */
export const TRANSACTION_LIMITS = { keys: 1_000, bytes: 64 * 1024 * 1024 } as const;

/** Keys of one transaction that come along unasked. */
export const MAX_PREFETCH = 64;

/** Storage keys are shorter than this, in bytes (LMDB holds 1,978). */
export const MAX_KEY_BYTES = 1_900;

/** A snapshot is held no longer: while it is, an embedded store cannot reuse the space of what was overwritten. */
export const MAX_HOLD_MILLIS = 60_000;
