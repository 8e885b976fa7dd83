import { setImmediate as turn } from 'node:timers/promises';
import type { Awaitable } from '../storage/store.ts';
import type { Answer, Data, Pages } from './answer.ts';
import { notFound } from './errors.ts';

/** One page of a list: the entries after `after`, `limit` at most (document 1, convention 5). */
export interface Page {
  readonly after: string;
  readonly limit: number;
}

/** What a list answers; nothing to list is a 404. */
export interface Listed {
  readonly keys: readonly string[];
  readonly warnings?: readonly string[];
}

/** Names in order, some at a time. */
export interface Names {
  /** The next ones, at most `limit`: perhaps none, although more follow. */
  next(limit: number): Promise<Listed & { readonly done: boolean }>;
}

/** Names in one piece of an answer: a longer list is read and sent piece by piece, in flat memory. */
export const PIECE = 5_000;

/** Names of which something is told besides: each is a record to read, of two steps at most. */
export const DESCRIBED_PIECE = 250;

/** What a list tells of its names, by name. */
export interface Described {
  /** The names once more, from the first. */
  names(): Names;
  info(keys: readonly string[]): Awaitable<Data>;
}

/** The names that pages are made of; a page shorter than its limit is the last. */
export function namesOf(read: (page: Page) => Awaitable<Listed>, after: string): Names {
  let last = after;
  return {
    async next(limit) {
      const listed = await read({ after: last, limit });
      last = listed.keys.at(-1) ?? last;
      return { ...listed, done: listed.keys.length < limit };
    },
  };
}

/** Those of the names that are shown, and no more than were asked for; a `limit` of 0 or less means all. */
export function shownNames(names: Names, limit: number, visible: ((name: string) => boolean) | undefined): Names {
  let left = limit > 0 ? limit : Number.POSITIVE_INFINITY;
  return {
    async next(most) {
      // Where not all are shown, more are read than are asked for.
      const { keys, done, ...rest } = await names.next(visible === undefined ? Math.min(left, most) : most);
      const shown = visible === undefined ? keys : keys.filter(visible).slice(0, left);
      left -= shown.length;
      return { ...rest, keys: shown, done: done || left === 0 };
    },
  };
}

/**
 * The answer of a list. What does not fit into one piece follows on it, out of the same snapshot, each piece in a turn
 * of the event loop of its own (known-attacks A11).
 * @param hold as in `Context`
 * @param first whether the snapshot is held before anything is listed: what takes many listings is then of one moment
 *   from the start, and others' writes do not undo it, on a distant store either
 * @param described where `key_info` is to tell of each name: of a long list it follows on the names
 */
export async function answerList(
  names: Names,
  hold: (begin?: () => Promise<void>) => () => void,
  first = false,
  described?: Described,
): Promise<Answer & { readonly data: { readonly keys: readonly string[] } }> {
  let over = false;
  const held: (() => void) | undefined = first
    ? hold(async () => {
        if (over) held?.();
      })
    : undefined;
  const piece = described === undefined ? PIECE : DESCRIBED_PIECE;
  const { keys: beginning, done, ...rest } = await names.next(piece);
  over = done;
  if (beginning.length === 0 && done) throw notFound();
  if (done && described !== undefined) {
    return { data: { keys: beginning, key_info: await described.info(beginning) }, ...rest };
  }
  if (done) return { data: { keys: beginning }, ...rest };
  if (beginning.length > 0) {
    return { data: { keys: beginning }, moreKeys: following(names, held ?? hold(), described), ...rest };
  }
  // Whether anything is shown is found out behind the transaction, which remembers all that it reads.
  const keys: string[] = [];
  const close = hold(async () => {
    while (keys.length === 0 && !over) {
      await turn();
      const found = await names.next(PIECE);
      keys.push(...found.keys);
      over = found.done;
    }
    if (over && (described === undefined || keys.length === 0)) close();
    if (keys.length === 0) throw notFound();
  });
  held?.();
  return { data: { keys }, moreKeys: following(names, close, described, () => over), ...rest };
}

/** Fewer names than these are not sent alone while more follow. */
const LEAST = 1_000;

function following(
  names: Names,
  close: () => void,
  described: Described | undefined,
  over = (): boolean => false,
): Pages {
  async function* pages(): AsyncGenerator<readonly string[]> {
    try {
      let waiting: string[] = [];
      for (let done = over(); !done; ) {
        await turn();
        const found = await names.next(PIECE);
        done = found.done;
        waiting.push(...found.keys);
        if (waiting.length === 0 || (waiting.length < LEAST && !done)) continue;
        yield waiting;
        waiting = [];
      }
    } finally {
      if (described === undefined) close();
    }
  }
  async function* info({ names: again, info: tell }: Described): AsyncGenerator<Data> {
    const named = again();
    for (let done = false; !done; ) {
      await turn();
      const found = await named.next(DESCRIBED_PIECE);
      done = found.done;
      if (found.keys.length > 0) yield await tell(found.keys);
    }
  }
  return { [Symbol.asyncIterator]: pages, close, ...(described && { info: info(described) }) };
}
