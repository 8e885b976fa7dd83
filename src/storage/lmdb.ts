import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type Transaction as ReadTransaction, type RootDatabase } from 'lmdb';
import { unavailable } from '../framework/errors.ts';
import { type Backend, type Commit, holds, type Present, type Snapshot } from './backend.ts';
import { behind } from './keys.ts';
import { childName, firstKey } from './list.ts';
import { Listings } from './listings.ts';
import { type Entry, type Listing, MAX_KEY_BYTES, type Range, type Store } from './store.ts';
import { type StoreOptions, TransactionalStore } from './transaction.ts';

export interface LmdbOptions extends StoreOptions {
  /** Told of what the store could not do; the caller of the transaction gets a 503 without the detail. */
  readonly onError?: (error: unknown) => void;
}

/** Number of commits so far and the store's clock, written with every commit. */
const PROGRESS = 'progress';

/** Read transactions at once, over all processes, and the size that LMDB's table of them has then. */
const MAX_READERS = 1_024;
const LOCK_BYTES = 65_744;

/** The stored time is asked for again after this. */
const ASKING_MILLIS = 10;

/** Names that remembered listings may hold in all. */
const MAX_LISTED_NAMES = 200_000;

/**
 * The embedded store: one LMDB environment in `folder`, which exists. Several processes may open it. An answer comes
 * after the sync to disk.
 *
 * Errors: what LMDB says where the folder cannot be read or written.
 */
export function lmdbStore(folder: string, options: LmdbOptions = {}): Store {
  return new TransactionalStore(new LmdbBackend(folder, options), options);
}

/** What lmdb documents of its fast reads and its types leave out. */
interface Lending {
  /** A buffer that is good until the next read; its own length says nothing. */
  getBinaryFast(key: string, options: { transaction?: ReadTransaction }): Buffer | undefined;
  /** Bytes of the value that was read last. */
  readonly lastSize: number;
}

type Records = Database<Buffer, string> & Lending;

class LmdbBackend implements Backend {
  /** Holds what the store keeps for itself, apart from the records: its root page is written by each commit anyway. */
  readonly #own: RootDatabase<Buffer, string>;
  readonly #db: Records;
  readonly #onError: (error: unknown) => void;
  /** The latest time seen or stored: the machine's clock, never backwards, not over a restart either. */
  #clock: number;
  /** When the stored time was last asked for, by the machine's clock. */
  #asked = 0;
  readonly #listings = new Listings(MAX_LISTED_NAMES);

  constructor(folder: string, options: LmdbOptions) {
    this.#onError = options.onError ?? (() => {});
    reserveLocks(folder);
    this.#own = open<Buffer, string>({
      path: folder,
      encoding: 'binary',
      cache: false,
      maxDbs: 1,
      maxReaders: MAX_READERS,
      // Otherwise a commit would resolve before it is on disk.
      overlappingSync: false,
      // Commits are gathered by the layer above; lmdb's own gathering makes promises whose failure nobody could handle.
      eventTurnBatching: false,
    });
    const form = { encoding: 'binary', keyEncoder: utf8Keys, cache: false } as const;
    this.#db = this.#own.openDB<Buffer, string>({ ...form, name: 'records' }) as Records;
    this.#clock = readProgress(this.#own.get(PROGRESS)).clock;
  }

  snapshot(): Snapshot {
    // A read transaction of LMDB is fresh only after a reset; it is then kept for this snapshot alone.
    this.#db.resetReadTxn();
    const transaction = this.#readTransaction();
    const view = new View(this.#db, transaction);
    let users = 1;
    return {
      now: this.#now(transaction),
      get: (key) => view.get(key),
      getMany: (keys) => keys.map((key) => view.get(key)),
      range: (range) => view.range(range),
      list: (listing) => {
        const { commits } = readProgress(this.#own.get(PROGRESS, { transaction }));
        return this.#listings.get(commits, listing, () => view.list(listing));
      },
      mixed: () => false,
      retain: () => {
        users += 1;
      },
      release: () => {
        users -= 1;
        if (users === 0) transaction.done();
      },
    };
  }

  #readTransaction(): ReadTransaction {
    try {
      return this.#db.useReadTransaction();
    } catch (error) {
      this.#onError(error);
      throw unavailable('the store has too many readers: try again', 1);
    }
  }

  async commit(take: () => readonly Commit[]): Promise<readonly boolean[]> {
    try {
      // As a child it is undone where it throws; an ordinary transaction of LMDB keeps what was put before.
      return await this.#db.childTransaction(() => this.#apply(take()));
    } catch (error) {
      const reason = await reasonOf(error);
      this.#onError(reason);
      throw Object.assign(unavailable(sentenceOf(reason), 1), { cause: reason });
    }
  }

  async close(): Promise<void> {
    await this.#own.close();
  }

  /**
   * Runs while this process holds the write lock of the folder, so it does nothing but compare and put. A commit is
   * validated whole before its first put.
   */
  #apply(batch: readonly Commit[]): boolean[] {
    const present = new View(this.#db, undefined);
    const applied: boolean[] = [];
    for (const { reads, writes } of batch) {
      const valid = holds(reads, present);
      if (valid) for (const [key, value] of writes) this.#write(key, value);
      applied.push(valid);
    }
    if (applied.includes(true)) this.#advance();
    return applied;
  }

  #write(key: string, value: Buffer | undefined): void {
    if (value === undefined) this.#db.remove(key);
    else this.#db.put(key, value);
  }

  /** Another process may have gone further than this one knows, so both numbers start from what is stored. */
  #advance(): void {
    const { commits, clock } = readProgress(this.#own.get(PROGRESS));
    const bytes = Buffer.allocUnsafe(16);
    bytes.writeDoubleBE(commits + 1, 0);
    bytes.writeDoubleBE(Math.max(clock, this.#clock), 8);
    this.#own.put(PROGRESS, bytes);
  }

  /**
   * All processes read one machine's clock; where that was set back, what others have stored counts too. It is asked for
   * now and then only: that is dearer than the clock.
   */
  #now(transaction: ReadTransaction): number {
    const machine = Date.now();
    if (Math.abs(machine - this.#asked) >= ASKING_MILLIS) {
      this.#asked = machine;
      this.#clock = Math.max(this.#clock, readProgress(this.#own.get(PROGRESS, { transaction })).clock);
    }
    this.#clock = Math.max(this.#clock, machine);
    return this.#clock;
  }
}

/** Reads in one read transaction, or, without one, inside the write transaction that is under way. */
class View implements Present {
  readonly #db: Records;
  readonly #options: { transaction?: ReadTransaction };

  constructor(db: Records, transaction: ReadTransaction | undefined) {
    this.#db = db;
    this.#options = transaction === undefined ? {} : { transaction };
  }

  get(key: string): Buffer | undefined {
    const shared = this.#db.getBinaryFast(key, this.#options);
    if (shared === undefined) return undefined;
    // What LMDB lends is good until the next read only; a copy out of Node's pool costs less than a buffer of its own.
    const size = this.#db.lastSize;
    const value = Buffer.allocUnsafe(size);
    value.set(new Uint8Array(shared.buffer, shared.byteOffset, size));
    return value;
  }

  range({ start, end, limit }: Range): readonly Entry[] {
    return [...this.#db.getRange({ ...this.#options, start, end, limit })];
  }

  list(listing: Listing): readonly string[] {
    const { prefix, limit } = listing;
    const end = prefix === '' ? '\u{10ffff}' : behind(prefix);
    const names: string[] = [];
    let start: string | undefined = firstKey(listing);
    while (start !== undefined && names.length < limit) {
      const from: string = start;
      start = undefined;
      for (const key of this.#db.getKeys({ ...this.#options, start: from, end })) {
        const name = childName(key, prefix.length);
        names.push(name);
        if (names.length === limit) break;
        if (name.endsWith('/')) {
          // Seek behind the folder instead of walking through it.
          start = behind(prefix + name);
          break;
        }
      }
    }
    return names;
  }
}

/** Keys are their UTF-8 bytes, so that LMDB orders them as the contract says. */
const utf8Keys = {
  writeKey: (key: string, target: Buffer, position: number): number =>
    position + target.write(key, position, MAX_KEY_BYTES + 4, 'utf8'),
  readKey: (source: Buffer, start: number, end: number): string => source.toString('utf8', start, end),
};

const readProgress = (bytes: Buffer | undefined): { commits: number; clock: number } =>
  bytes === undefined ? { commits: 0, clock: 0 } : { commits: bytes.readDoubleBE(0), clock: bytes.readDoubleBE(8) };

/**
 * What a failed commit failed of. lmdb puts it into a promise of its own beside the error that it throws; one that does
 * not come at once does not come.
 */
async function reasonOf(error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !('commitError' in error)) return error;
  const told = Promise.resolve(error.commitError).catch((reason: unknown) => reason);
  return (await Promise.race([told, new Promise((resolve) => setImmediate(resolve))])) ?? error;
}

/** Input/output error, as a write that the disk has no room for ends when it was begun; no space left. */
const FULL: ReadonlySet<unknown> = new Set([5, 28, 'EIO', 'ENOSPC']);

function sentenceOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const text = error instanceof Error ? error.message : '';
  return FULL.has(code) || /MDB_MAP_FULL|No space left|Input\/output/i.test(text)
    ? 'the store is full, or its disk fails: nothing was written; free disk space and try again'
    : 'the store did not take the write: nothing was written; try again';
}

/**
 * Gives LMDB's table of readers its space on disk. LMDB makes it a file with a hole and writes to it by mapping: on a full
 * disk that would end the process.
 */
function reserveLocks(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(join(folder, 'lock.mdb'), Buffer.alloc(LOCK_BYTES), { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}
