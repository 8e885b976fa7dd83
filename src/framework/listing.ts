import { setImmediate as turn } from 'node:timers/promises';
import type { Awaitable } from '../storage/store.ts';
import type { Answer, Pages } from './answer.ts';
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

/** Names in one piece of an answer: a longer list is read and sent piece by piece, in flat memory. */
export const PIECE = 5_000;

/**
 * The answer of a list. What does not fit into one piece follows on it, out of the same snapshot, each piece in a turn
 * of the event loop of its own (known-attacks A11).
 *
 * @param read one page; a page shorter than its limit is the last
 * @param asked as given; a `limit` of 0 or less means all
 * @param hold keeps the snapshot for the pieces that follow
 */
export async function answerList(
  read: (after: string, limit: number) => Awaitable<Listed>,
  asked: Page,
  hold: () => () => void,
): Promise<Answer & { readonly data: { readonly keys: readonly string[] } }> {
  const wanted = asked.limit > 0 ? asked.limit : Number.POSITIVE_INFINITY;
  const size = Math.min(wanted, PIECE);
  const { keys, ...rest } = await read(asked.after, size);
  if (keys.length === 0) throw notFound();
  const answer = { data: { keys }, ...rest };
  if (keys.length < size || wanted <= PIECE) return answer;
  return { ...answer, moreKeys: following(read, keys, wanted - keys.length, hold()) };
}

function following(
  read: (after: string, limit: number) => Awaitable<Listed>,
  first: readonly string[],
  wanted: number,
  close: () => void,
): Pages {
  async function* pages(): AsyncGenerator<readonly string[]> {
    try {
      let last = first.at(-1) ?? '';
      for (let left = wanted; left > 0; ) {
        await turn();
        const size = Math.min(left, PIECE);
        const { keys } = await read(last, size);
        if (keys.length > 0) yield keys;
        if (keys.length < size) return;
        last = keys.at(-1) ?? '';
        left -= keys.length;
      }
    } finally {
      close();
    }
  }
  return { [Symbol.asyncIterator]: pages, close };
}
