import type { Commit, Read, Snapshot } from './backend.ts';
import { compareKeys } from './keys.ts';
import { listBySeeking } from './list.ts';
import {
  type Awaitable,
  type Distant,
  type Entry,
  type Listing,
  MAX_HOLD_MILLIS,
  MAX_KEY_BYTES,
  type Range,
  TRANSACTION_LIMITS,
  type Transaction,
  type Writer,
} from './store.ts';

type Writes = Map<string, Buffer | undefined>;

/** A transaction over a snapshot: remembers what it read, buffers what it writes, and reads its own writes. */
export class Buffered implements Transaction {
  readonly random: (bytes: number) => Buffer;
  readonly spend: Writer;
  readonly distant: Distant | undefined;
  readonly #snapshot: Snapshot;
  /** What was got, once for each key. */
  readonly #got = new Map<string, Buffer | undefined>();
  /** Ranges and listings. */
  readonly #seen: Read[] = [];
  readonly #writes: Writes = new Map();
  readonly #spent: Writes = new Map();
  readonly #holds = new Set<() => void>();
  /** The function is through: what a holder reads from now on is not validated, so it is not remembered. */
  #through = false;
  /** A held snapshot has been let go: nothing more can be read. */
  #over = false;

  constructor(snapshot: Snapshot, random: (bytes: number) => Buffer) {
    this.#snapshot = snapshot;
    this.random = random;
    this.distant = snapshot.prefetch && {
      prefetch: (keys) => this.#prefetch(keys),
      touched: () => ({ read: [...this.#got.keys()], put: this.#puts() }),
    };
    this.spend = {
      put: (key, value) => this.#write(this.#spent, key, value),
      delete: (key) => this.#write(this.#spent, key, undefined),
    };
  }

  /** Asked of the snapshot when it is needed: a distant one learns it with its first read. */
  get now(): number {
    return this.#snapshot.now;
  }

  get(key: string): Awaitable<Buffer | undefined> {
    if (this.#writes.size > 0 && this.#writes.has(key)) return this.#writes.get(key);
    const known = this.#got.get(key);
    if (known !== undefined || this.#got.has(key)) return known;
    checkKey(key);
    this.#checkHeld();
    const answer = this.#snapshot.get(key);
    return isPromise(answer) ? answer.then((value) => this.#keep(key, value)) : this.#keep(key, answer);
  }

  async getMany(keys: readonly string[]): Promise<readonly (Buffer | undefined)[]> {
    const known = (key: string): boolean => this.#writes.has(key) || this.#got.has(key);
    const unknown = keys.filter((key) => !known(key));
    for (const key of unknown) checkKey(key);
    this.#checkHeld();
    const answers = await this.#snapshot.getMany(unknown);
    const fresh = new Map(unknown.map((key, i) => [key, this.#keep(key, answers[i])]));
    return keys.map((key) =>
      fresh.has(key) ? fresh.get(key) : this.#writes.has(key) ? this.#writes.get(key) : this.#got.get(key),
    );
  }

  async range(range: Range): Promise<readonly Entry[]> {
    this.#checkHeld();
    const own = this.#ownIn(range.start, range.end);
    // Own deletions hide entries, so as many more are asked for.
    const raw = { ...range, limit: range.limit + own.filter(([, value]) => value === undefined).length };
    const answer = await this.#snapshot.range(raw);
    this.#remember({ kind: 'range', range: raw, answer });
    return own.length === 0 ? answer : merge(answer, own, range.limit);
  }

  async list(listing: Listing): Promise<readonly string[]> {
    this.#checkHeld();
    for (const key of this.#writes.keys()) {
      if (key.startsWith(listing.prefix)) return listBySeeking((range) => this.range(range), listing);
    }
    const answer = await this.#snapshot.list(listing);
    this.#remember({ kind: 'list', listing, answer });
    return answer;
  }

  put(key: string, value: Buffer): void {
    this.#write(this.#writes, key, value);
  }

  delete(key: string): void {
    this.#write(this.#writes, key, undefined);
  }

  hold(): () => void {
    this.#snapshot.retain();
    let held = true;
    const release = (): void => {
      if (!held) return;
      held = false;
      clearTimeout(timer);
      this.#holds.delete(release);
      this.#over = this.#holds.size === 0;
      this.#snapshot.release();
    };
    const timer = setTimeout(release, MAX_HOLD_MILLIS).unref();
    this.#holds.add(release);
    return release;
  }

  /** Ends all holds: the run was lost, and nobody will read on. */
  abandon(): void {
    for (const release of this.#holds) release();
  }

  /** What a function that returned leaves to commit: nothing where it wrote nothing, unless `mixed` reads are to be validated. */
  commit(mixed: boolean): Commit | undefined {
    return this.#commitOf(this.#writes, mixed);
  }

  /** What a function that threw leaves to commit: only what it spent. */
  spent(mixed: boolean): Commit | undefined {
    return this.#commitOf(this.#spent, mixed, false);
  }

  #prefetch(keys: readonly string[]): void {
    if (!this.#through) this.#snapshot.prefetch?.(keys.filter((key) => !this.#got.has(key) && !this.#writes.has(key)));
  }

  #puts(): readonly string[] {
    return [...this.#writes].flatMap(([key, value]) => (value === undefined ? [] : [key]));
  }

  #checkHeld(): void {
    if (this.#over) throw new Error('the snapshot is held no longer');
  }

  #remember(read: Read): void {
    if (!this.#through) this.#seen.push(read);
  }

  #commitOf(writes: Writes, mixed: boolean, limited = true): Commit | undefined {
    this.#through = true;
    if (writes.size === 0 && !mixed) return undefined;
    const reads = [...this.#seen];
    for (const [key, answer] of this.#got) reads.push({ kind: 'get', key, answer });
    if (limited && writes.size > 0) checkSize(reads, writes);
    return { reads, writes, now: this.now };
  }

  #keep(key: string, answer: Buffer | undefined): Buffer | undefined {
    if (!this.#through) this.#got.set(key, answer);
    return answer;
  }

  #write(writes: Writes, key: string, value: Buffer | undefined): void {
    checkKey(key);
    writes.set(key, value);
    // What is spent is also part of an ordinary commit, and visible to the reads that follow.
    if (writes === this.#spent) this.#writes.set(key, value);
  }

  #ownIn(start: string, end: string): (readonly [string, Buffer | undefined])[] {
    return [...this.#writes]
      .filter(([key]) => compareKeys(start, key) <= 0 && compareKeys(key, end) < 0)
      .sort(([a], [b]) => compareKeys(a, b));
  }
}

function merge(
  stored: readonly Entry[],
  own: readonly (readonly [string, Buffer | undefined])[],
  limit: number,
): readonly Entry[] {
  const merged = new Map(stored.map((entry) => [entry.key, entry]));
  for (const [key, value] of own) {
    if (value === undefined) merged.delete(key);
    else merged.set(key, { key, value });
  }
  return [...merged.values()].sort((a, b) => compareKeys(a.key, b.key)).slice(0, limit);
}

function checkKey(key: string): void {
  // A UTF-16 unit is at most three bytes of UTF-8, so short keys need no counting.
  if (key === '') throw new Error('a storage key is not empty');
  if (key.length * 3 >= MAX_KEY_BYTES && Buffer.byteLength(key) >= MAX_KEY_BYTES) {
    throw new Error(`a storage key has less than ${MAX_KEY_BYTES} bytes`);
  }
}

function checkSize(reads: readonly Read[], writes: Writes): void {
  let keys = writes.size;
  for (const read of reads) keys += read.kind === 'range' ? read.answer.length : 1;
  if (keys > TRANSACTION_LIMITS.keys) throw new Error(`a transaction touches at most ${TRANSACTION_LIMITS.keys} keys`);
  let bytes = 0;
  for (const value of writes.values()) bytes += value?.length ?? 0;
  if (bytes > TRANSACTION_LIMITS.bytes)
    throw new Error(`a transaction writes at most ${TRANSACTION_LIMITS.bytes} bytes`);
}

const isPromise = <T>(value: Awaitable<T>): value is PromiseLike<T> =>
  typeof value === 'object' && value !== null && 'then' in value;
