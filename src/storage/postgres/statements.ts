import { behind } from '../keys.ts';
import { firstKey } from '../list.ts';
import type { Entry, Listing, Range } from '../store.ts';
import { byteArrays } from './arrays.ts';
import type { Row, Statement } from './connections.ts';

const bytes = (key: string): Buffer => Buffer.from(key);
const text = (bytes: Buffer): string => bytes.toString('utf8');

/** Where a listing's keys begin and end. */
export function boundsOf(listing: Listing): { readonly low: Buffer; readonly high: Buffer } {
  const { prefix } = listing;
  return { low: bytes(firstKey(listing)), high: bytes(prefix === '' ? '\u{10ffff}' : behind(prefix)) };
}

/** Where statements go, and how long one waits there for a lock, such as that of somebody who alters the table. */
export interface Target {
  readonly schema: string;
  readonly lockMillis: number;
}

/** All answer rows of place, name, value and version; `checks` are keys whose versions are told along. */
export const getStatement = (
  { schema, lockMillis }: Target,
  keys: readonly string[],
  checks: readonly string[],
): Statement => ({
  text: `SELECT place, NULL, value, version FROM ${schema}.get_1($1, $2, $3)`,
  values: [lockMillis, byteArrays(keys.map(bytes)), byteArrays(checks.map(bytes))],
});

/** What comes first in a statement also says how long the rest of it waits for a lock. */
const checksOf = ({ schema }: Target): string =>
  `SELECT place, NULL::bytea, value, version FROM ${schema}.get_1($1, '{}', $2)`;

export const rangeStatement = (target: Target, range: Range, checks: readonly string[]): Statement => ({
  text: `${checksOf(target)} UNION ALL SELECT place::integer, key, value, version
    FROM ${target.schema}.range_1($3, $4, $5) WITH ORDINALITY AS r(key, value, version, place)`,
  values: [target.lockMillis, byteArrays(checks.map(bytes)), bytes(range.start), bytes(range.end), range.limit],
});

export function listStatement(target: Target, listing: Listing, checks: readonly string[]): Statement {
  const { low, high } = boundsOf(listing);
  return {
    text: `${checksOf(target)} UNION ALL SELECT place::integer, name, NULL, NULL
      FROM ${target.schema}.list_1($3, $4, $5, $6) WITH ORDINALITY AS r(name, place)`,
    values: [target.lockMillis, byteArrays(checks.map(bytes)), bytes(listing.prefix), low, high, listing.limit],
  };
}

/** A record as it was read. */
export interface Versioned {
  readonly value: Buffer;
  readonly version: number;
}

/** What a statement answered. */
export interface Answer {
  /** The database's clock, in milliseconds since 1970. */
  readonly time: number;
  /** What was asked for, by its place from 0. */
  readonly found: ReadonlyMap<number, { readonly name: string; readonly record: Versioned | undefined }>;
  /** Versions of the keys checked, by their place from 0; those that are missing have none. */
  readonly versions: ReadonlyMap<number, number>;
}

/** Throws where rows are not what the functions of the schema answer. */
export function readAnswer(rows: readonly Row[]): Answer {
  let time: number | undefined;
  const found = new Map<number, { name: string; record: Versioned | undefined }>();
  const versions = new Map<number, number>();
  for (const [place, name, value, version] of rows) {
    if (typeof place !== 'number') throw new Error('the database answered a row without a place');
    if (place === 0) time = Number(version);
    else if (place < 0) versions.set(-place - 1, Number(version));
    else {
      const record = Buffer.isBuffer(value) ? { value, version: Number(version) } : undefined;
      found.set(place - 1, { name: Buffer.isBuffer(name) ? text(name) : '', record });
    }
  }
  if (time === undefined) throw new Error('the database answered no time');
  return { time, found, versions };
}

/** The entries of a range, in order. */
export function entriesOf({ found }: Answer): readonly (Entry & Versioned)[] {
  return inOrder(found).flatMap(({ name, record }) => (record === undefined ? [] : [{ key: name, ...record }]));
}

/** The names of a listing, in order. */
export const namesOf = ({ found }: Answer): readonly string[] => inOrder(found).map(({ name }) => name);

const inOrder = <T>(found: ReadonlyMap<number, T>): readonly T[] =>
  [...found].sort(([a], [b]) => a - b).map(([, value]) => value);
