import type { Awaitable, Entry, Listing, Range, Writer } from '../storage/store.ts';

export type { Awaitable } from '../storage/store.ts';

/** What is stored for one mount, as its handlers see it: a key space of their own, values in clear. */
export interface StoreReader {
  get(key: string): Awaitable<Buffer | undefined>;
  /** Independent reads in one trip. */
  getMany(keys: readonly string[]): Awaitable<readonly (Buffer | undefined)[]>;
  range(range: Range): Awaitable<readonly Entry[]>;
  list(listing: Listing): Awaitable<readonly string[]>;
  /** A record that is decoded once and kept while it does not change: for configuration and keys, not for secrets. */
  cached<T>(key: string, decode: (plain: Buffer) => T): Awaitable<T | undefined>;
}

export interface StoreWriter extends StoreReader, Writer {
  /** Writes that hold even where the request is refused: a use, an attempt. */
  readonly spend: Writer;
  /** Records that a handler writes or deletes at most in its transaction; what is more is for `purge`. */
  readonly maxWrites: number;
  /**
   * Removes, in the background and in the end whatever happens, all that lies beneath a folder, or of that only the keys
   * less than `prefix + before`. From this transaction on nothing reaches it any more, and nothing writes there.
   * @param prefix ends in `/`
   */
  purge(prefix: string, before?: string): void;
}

/** A transaction touches at most 1,000 keys ("architecture §4", Size); a hundred are left to what goes on around a handler. */
export const MAX_WRITES = 900;

/** The mount a request came through. */
export interface Mount {
  /** Ends in `/`; of an auth method it starts with `auth/`. */
  readonly path: string;
  readonly uuid: string;
  readonly accessor: string;
  readonly type: string;
  readonly options: ReadonlyMap<string, string>;
  /** Seconds; what holds where the mount sets none is filled in. */
  readonly defaultTtl: number;
  readonly maxTtl: number;
  /** Of an auth method: what its logins give. `service` and `batch` hold whatever a role says. */
  readonly tokenType: 'default-service' | 'default-batch' | 'service' | 'batch';
}

/** Who asks. */
export interface Caller {
  readonly displayName: string;
  readonly accessor: string;
  readonly policies: readonly string[];
  readonly entityId: string;
  readonly root: boolean;
}

/** What every handler knows. */
export interface Context {
  readonly store: StoreReader;
  readonly mount: Mount;
  /** Milliseconds since 1970, by the store's clock. */
  readonly now: number;
  /** The client's address, canonical. */
  readonly peer: string;
  /** base64url HMAC-SHA-256 under a key of the server, other for each mount: what is a secret is stored under it. */
  mac(text: string): string;
  /** Of the headers that the endpoint asks for those that came and the mount's owner hands on; names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly caller: Caller;
  /**
   * Keeps `store` readable, as of this request's moment, until what is returned is called; bounded in time.
   * @param begin reads on once the request has been committed, before it is answered, and may still refuse it
   */
  hold(begin?: () => Promise<void>): () => void;
  /** Whether a lease of this mount, by the `id` it was granted with, is alive: then what was given out under it counts. */
  leaseLives(id: string): Awaitable<boolean>;
  /** Whether a name of this list is shown to the caller; undefined where all are. */
  readonly visible: ((name: string) => boolean) | undefined;
}

/** What the handler of a write knows besides. */
export interface WriteContext extends Context {
  readonly store: StoreWriter;
  random(bytes: number): Buffer;
}

/** What is known where slow or outside work is done before the transaction: reads of its own, no writes. */
export interface PrepareContext {
  readonly store: Pick<StoreReader, 'get' | 'getMany'>;
  readonly mount: Mount;
  /** The client's address, canonical. */
  readonly peer: string;
}
