import { unavailable } from '../framework/errors.ts';
import type { Backend, Commit, Present, Snapshot } from './backend.ts';
import { holds } from './backend.ts';
import { compareKeys } from './keys.ts';
import { childName, firstKey } from './list.ts';
import type { Entry, Listing, Range, Store } from './store.ts';
import { type StoreOptions, TransactionalStore } from './transaction.ts';

/** Faults and clock of a memory store, for tests. */
export interface MemoryOptions extends StoreOptions {
  /** Milliseconds since 1970; default the machine's. */
  readonly clock?: () => number;
  /** Called with the number of each commit batch (from 1), before it is applied; where it throws, nothing is. */
  readonly beforeCommit?: (batch: number) => void;
}

/** A store in memory: for tests and as the model of the others. Nothing outlives the process. */
export function memoryStore(options: MemoryOptions = {}): Store & { contents(): ReadonlyMap<string, Buffer> } {
  const backend = new MemoryBackend(options);
  const store = new TransactionalStore(backend, options);
  return Object.assign(store, { contents: () => backend.contents() });
}

class MemoryBackend implements Backend {
  readonly #options: MemoryOptions;
  /** Immutable once published: a commit makes new ones, so a snapshot is a reference. */
  #records: ReadonlyMap<string, Buffer> = new Map();
  #sorted: readonly string[] = [];
  #batches = 0;
  #last = 0;

  constructor(options: MemoryOptions) {
    this.#options = options;
  }

  contents(): ReadonlyMap<string, Buffer> {
    return this.#records;
  }

  snapshot(): Snapshot {
    const present = new View(this.#records, this.#sorted);
    this.#last = Math.max(this.#last, (this.#options.clock ?? Date.now)());
    return {
      now: this.#last,
      get: (key) => present.get(key),
      getMany: (keys) => keys.map((key) => present.get(key)),
      range: (range) => present.range(range),
      list: (listing) => present.list(listing),
      mixed: () => false,
      retain: () => {},
      release: () => {},
    };
  }

  async commit(take: () => readonly Commit[]): Promise<readonly boolean[]> {
    // A turn of the event loop, as a sync to disk would take: transactions do overlap.
    await new Promise((resolve) => setImmediate(resolve));
    this.#batches += 1;
    try {
      this.#options.beforeCommit?.(this.#batches);
    } catch (error) {
      throw Object.assign(unavailable('the store did not take the write: try again', 1), { cause: error });
    }
    return take().map((commit) => this.#apply(commit));
  }

  async close(): Promise<void> {}

  #apply(commit: Commit): boolean {
    if (!holds(commit.reads, new View(this.#records, this.#sorted))) return false;
    const records = new Map(this.#records);
    for (const [key, value] of commit.writes) {
      if (value === undefined) records.delete(key);
      else records.set(key, Buffer.from(value));
    }
    this.#records = records;
    this.#sorted = [...records.keys()].sort(compareKeys);
    return true;
  }
}

class View implements Present {
  readonly #records: ReadonlyMap<string, Buffer>;
  readonly #sorted: readonly string[];

  constructor(records: ReadonlyMap<string, Buffer>, sorted: readonly string[]) {
    this.#records = records;
    this.#sorted = sorted;
  }

  get(key: string): Buffer | undefined {
    return this.#records.get(key);
  }

  range({ start, end, limit }: Range): readonly Entry[] {
    const entries: Entry[] = [];
    for (let i = this.#seek(start); i < this.#sorted.length && entries.length < limit; i++) {
      const key = this.#sorted[i];
      if (key === undefined || compareKeys(key, end) >= 0) break;
      const value = this.#records.get(key);
      if (value !== undefined) entries.push({ key, value });
    }
    return entries;
  }

  list(listing: Listing): readonly string[] {
    const names = new Set<string>();
    const first = firstKey(listing);
    for (let i = this.#seek(first); i < this.#sorted.length && names.size <= listing.limit; i++) {
      const key = this.#sorted[i];
      if (key === undefined || !key.startsWith(listing.prefix)) break;
      names.add(childName(key, listing.prefix.length));
    }
    return [...names].slice(0, listing.limit);
  }

  /** Index of the first key that is not less than `key`. */
  #seek(key: string): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareKeys(this.#sorted[middle] ?? '', key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
