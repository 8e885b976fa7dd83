import type { Awaitable, Entry, Listing, Range, Reader } from './store.ts';

/**
 * What a concrete store has to offer; `transaction.ts` makes a serializable `Store` of it. A backend opens snapshots
 * and applies batches of commits; it knows nothing of retries, buffering or spending.
 */
export interface Backend {
  /** A consistent view of what has been committed by any process until now. */
  snapshot(): Awaitable<Snapshot>;

  /**
   * Validates and applies each commit in order, each against the state that the ones before it leave behind, and
   * answers once the winners are durable: for each commit whether it was applied. May answer for the first ones only, at
   * least one. `take` gives the commits, once, and as late as is possible: more may come while a store waits for its turn.
   * Rejects where nothing was applied, or a distant database did not tell.
   */
  commit(take: () => readonly Commit[]): Promise<readonly boolean[]>;

  close(): Promise<void>;
}

/** One consistent view. Whoever has it or retained it must release it, each once. */
export interface Snapshot extends Reader {
  /** Only where reads make trips: brings these along with the next one, as `Distant` says. */
  prefetch?(keys: readonly string[]): void;
  /**
   * Asked when all is read: whether the answers may be of several moments. What comes of them, refusals included, counts
   * only once they are validated. Where the snapshot was retained, it is settled by then what it reads on.
   */
  mixed(): Awaitable<boolean>;
  retain(): void;
  release(): void;
}

/** What a transaction has read, with the answers it got, and what it writes (`undefined` deletes). */
export interface Commit {
  readonly reads: readonly Read[];
  readonly writes: ReadonlyMap<string, Buffer | undefined>;
  /** The time the transaction saw. */
  readonly now: number;
}

/** One read: still valid where asking again gives the same answer. */
export type Read =
  | { readonly kind: 'get'; readonly key: string; readonly answer: Buffer | undefined }
  | { readonly kind: 'range'; readonly range: Range; readonly answer: readonly Entry[] }
  | { readonly kind: 'list'; readonly listing: Listing; readonly answer: readonly string[] };

/** Reads that answer at once, as a backend has them inside its own commit. */
export interface Present {
  get(key: string): Buffer | undefined;
  range(range: Range): readonly Entry[];
  list(listing: Listing): readonly string[];
}

/** True where every read would give the same answer now. */
export function holds(reads: readonly Read[], present: Present): boolean {
  for (const read of reads) if (!same(read, present)) return false;
  return true;
}

function same(read: Read, present: Present): boolean {
  if (read.kind === 'get') return equal(present.get(read.key), read.answer);
  if (read.kind === 'range') {
    const entries = present.range(read.range);
    return (
      entries.length === read.answer.length &&
      entries.every((entry, i) => entry.key === read.answer[i]?.key && equal(entry.value, read.answer[i]?.value))
    );
  }
  const names = present.list(read.listing);
  return names.length === read.answer.length && names.every((name, i) => name === read.answer[i]);
}

function equal(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === undefined || b === undefined ? a === b : a.equals(b);
}
