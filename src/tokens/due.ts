import type { SealedTransaction } from '../barrier/index.ts';
import { encodeRecord } from '../framework/record.ts';
import type { Ancestor, TokenRecord } from './token.ts';

/** Notes by time: when a token that holds something is looked at, to remove it and what it holds if it has ended. */
export const DUE = 'due/';

/** A token that may die with an ancestor is looked at so often. */
const LOOK_MILLIS = 24 * 60 * 60 * 1_000;

const TIME_DIGITS = 14;
const NEVER = 10 ** TIME_DIGITS - 1;

/** What a note says: one life of a token, and where its cubbyhole lies if it has one. */
export interface DueRecord extends Ancestor {
  readonly prefix?: string;
}

/** When a token is to be looked at next, in milliseconds since 1970. */
export const nextLook = (
  { expires = NEVER, ancestors }: Pick<TokenRecord, 'expires' | 'ancestors'>,
  now: number,
): number => (ancestors.length === 0 ? expires : Math.min(expires, now + LOOK_MILLIS));

/** Stores a note, and answers its storage key. `id` is the life's own, without a slash. */
export function putDue(writer: Pick<SealedTransaction, 'put'>, millis: number, id: string, record: DueRecord): string {
  const due = `${DUE}${String(millis).padStart(TIME_DIGITS, '0')}-${id}`;
  writer.put(due, encodeRecord(record));
  return due;
}

/** The time of a note by its storage key, in milliseconds since 1970. */
export const dueTime = (due: string): number => Number(due.slice(DUE.length, DUE.length + TIME_DIGITS));

/** What tells the notes of one time apart. */
export const dueId = (due: string): string => due.slice(DUE.length + TIME_DIGITS + 1);
