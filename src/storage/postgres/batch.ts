import { createHash } from 'node:crypto';
import type { Commit, Read } from '../backend.ts';
import { compareKeys } from '../keys.ts';
import { bigIntegers, byteArrays, integers } from './arrays.ts';
import { boundsOf } from './statements.ts';
import { steps } from './steps.ts';
import type { Versions } from './versions.ts';

type RangeRead = Extract<Read, { kind: 'range' }>;
type ListRead = Extract<Read, { kind: 'list' }>;

/** A read with the number of its transaction in the call, from 1. */
interface Numbered<R> {
  readonly tx: number;
  readonly read: R;
}

/** Most of one call: more waits for the next one. Keys are those read and written, bytes those written. */
const MOST = { keys: 4_096, bytes: 32 * 1024 * 1024 } as const;

/** As many commits of the beginning as one call takes; at least one. */
export function firstOf(batch: readonly Commit[]): readonly Commit[] {
  let [keys, bytes] = [0, 0];
  const end = batch.findIndex(({ reads, writes }, i) => {
    keys += reads.length + writes.size;
    for (const value of writes.values()) bytes += value?.length ?? 0;
    return i > 0 && (keys > MOST.keys || bytes > MOST.bytes);
  });
  return end === -1 ? batch : batch.slice(0, end);
}

/** The parameters of `losers_1`: what the transactions have read, by the versions and digests it had. */
export function readParameters(commits: readonly Commit[], versions: Versions): readonly Buffer[] {
  const all = commits.flatMap(({ reads }, i) => reads.map((read) => ({ tx: i + 1, read })));
  const gets = all.flatMap(({ tx, read }) => (read.kind === 'get' ? [{ tx, read }] : []));
  const ranges = all.flatMap(({ tx, read }): Numbered<RangeRead>[] => (read.kind === 'range' ? [{ tx, read }] : []));
  const lists = all.flatMap(({ tx, read }): Numbered<ListRead>[] => (read.kind === 'list' ? [{ tx, read }] : []));
  const bounds = lists.map(({ read }) => boundsOf(read.listing));
  return [
    integers(gets.map(({ tx }) => tx)),
    byteArrays(gets.map(({ read }) => Buffer.from(read.key))),
    bigIntegers(gets.map(({ read }) => versions.of(read.answer))),
    integers(ranges.map(({ tx }) => tx)),
    byteArrays(ranges.map(({ read }) => Buffer.from(read.range.start))),
    byteArrays(ranges.map(({ read }) => Buffer.from(read.range.end))),
    integers(ranges.map(({ read }) => read.range.limit)),
    byteArrays(ranges.map(({ read }) => rangeDigest(read, versions))),
    integers(lists.map(({ tx }) => tx)),
    byteArrays(lists.map(({ read }) => Buffer.from(read.listing.prefix))),
    byteArrays(bounds.map(({ low }) => low)),
    byteArrays(bounds.map(({ high }) => high)),
    integers(lists.map(({ read }) => read.listing.limit)),
    byteArrays(lists.map(({ read }) => listDigest(read))),
  ];
}

/** The parameters of `commit_1` behind those of the reads: the steps, and the writes. */
export function writeParameters(commits: readonly Commit[]): readonly (Buffer | number)[] {
  const { slots, events } = steps(commits);
  const layers = new Map<string, number>();
  const puts = commits.flatMap(({ writes }, i) =>
    [...writes].map(([key, value]) => {
      const layer = layers.get(key) ?? 0;
      layers.set(key, layer + 1);
      return { tx: i + 1, key, value, layer };
    }),
  );
  // In one order for all calls, as the pages of the index lie.
  puts.sort((a, b) => compareKeys(a.key, b.key));
  return [
    slots,
    integers(events.map(({ tx }) => tx)),
    integers(events.map(({ slot }) => slot)),
    integers(events.map(({ write }) => (write ? 1 : 0))),
    integers(puts.map(({ tx }) => tx)),
    byteArrays(puts.map(({ key }) => Buffer.from(key))),
    byteArrays(puts.map(({ value }) => value)),
    integers(puts.map(({ layer }) => layer)),
    Math.max(0, ...layers.values()),
  ];
}

/** SHA-256 over each key with its length, and its version: as `losers_1` makes it. */
function rangeDigest({ answer }: RangeRead, versions: Versions): Buffer {
  const hash = createHash('sha256');
  const number = Buffer.alloc(8);
  for (const { key, value } of answer) {
    hash.update(withLength(key));
    number.writeBigInt64BE(BigInt(versions.of(value)));
    hash.update(number);
  }
  return hash.digest();
}

/** SHA-256 over each name with its length. */
function listDigest({ answer }: ListRead): Buffer {
  const hash = createHash('sha256');
  for (const name of answer) hash.update(withLength(name));
  return hash.digest();
}

function withLength(text: string): Buffer {
  const bytes = Buffer.alloc(4 + Buffer.byteLength(text));
  bytes.writeInt32BE(bytes.length - 4);
  bytes.write(text, 4, 'utf8');
  return bytes;
}
