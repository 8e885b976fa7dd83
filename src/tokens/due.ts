import { crc32 } from 'node:zlib';
import type { SealedTransaction } from '../barrier/index.ts';
import { encodeRecord } from '../framework/record.ts';
import type { Ancestor, TokenRecord } from './token.ts';

/**
 * Notes by time: when a token or a lease is looked at, to remove it and what it holds if it has ended. They lie in shards by
 * what they are about, so that nodes and workers share the looking: `due/<shard>/<time>-<id>`. Leases, and tokens that have
 * some, have shards of their own, `due/l<shard>/`: what engines gave out does not wait behind a million tokens.
 */
const FOLDER = 'due/';
const SHARDS = 16;
const LEASED = 'l';

const shards = (mark: string): readonly string[] =>
  Array.from({ length: SHARDS }, (_, shard) => `${FOLDER}${mark}${shard.toString(16)}/`);

/**
 * The folders of notes, in two queues: of leases, and of tokens. The last one of these is of an earlier version, which had no
 * shards; the other folders stand in it too.
 */
export const DUE_QUEUES: readonly (readonly string[])[] = [shards(LEASED), [...shards(''), FOLDER]];

/** A token that may die with an ancestor is looked at so often, the second where it has leases, which are to end then. */
const LOOK_MILLIS = 24 * 60 * 60 * 1_000;
const LOOK_OF_LEASED_MILLIS = 5 * 60 * 1_000;

const TIME_DIGITS = 14;
const NEVER = 10 ** TIME_DIGITS - 1;

/** One life of a token, where its cubbyhole lies if it has one, and whether there are leases that end with it. */
export interface DueToken extends Ancestor {
  readonly prefix?: string;
  readonly leased?: true;
  /** Of these leases the last one that has been told. */
  readonly after?: string;
}

/** A lease, by the last part of its name. */
export interface DueLease {
  readonly lease: string;
}

export type DueRecord = DueToken | DueLease;

/** When a token is to be looked at next, in milliseconds since 1970. */
export function nextLook(
  { expires = NEVER, ancestors, leased }: Pick<TokenRecord, 'expires' | 'ancestors' | 'leased'>,
  now: number,
): number {
  if (ancestors.length === 0) return expires;
  return Math.min(expires, now + (leased ? LOOK_OF_LEASED_MILLIS : LOOK_MILLIS));
}

/** Stores a note, and answers its storage key. `id` is the life's own, without a slash. */
export function putDue(writer: Pick<SealedTransaction, 'put'>, millis: number, id: string, record: DueRecord): string {
  const queue = 'lease' in record || record.leased ? LEASED : '';
  const shard = (crc32(id) % SHARDS).toString(16);
  const due = `${FOLDER}${queue}${shard}/${String(millis).padStart(TIME_DIGITS, '0')}-${id}`;
  writer.put(due, encodeRecord(record));
  return due;
}

const nameOf = (due: string): string => due.slice(due.lastIndexOf('/') + 1);

/** The time of a note by its storage key, in milliseconds since 1970. */
export const dueTime = (due: string): number => Number(nameOf(due).slice(0, TIME_DIGITS));

/** What tells the notes of one time apart. */
export const dueId = (due: string): string => nameOf(due).slice(TIME_DIGITS + 1);
