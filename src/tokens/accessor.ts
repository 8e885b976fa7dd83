import type { Awaitable, SealedTransaction } from '../barrier/index.ts';
import { decodeRecord, encodeRecord } from '../framework/record.ts';
import type { TokenRecord } from './token.ts';

/**
 * An accessor is a handle, not a secret: it names a token to those who may look it up or revoke it. It is 18 random bytes in
 * base64url, of which the first half stands readable in the name of its record, so that accessors are listed in their
 * order without being read all; the second half is there as a keyed hash, and sealed in the record.
 */
const RANDOM_BYTES = 18;
const SORTED = 12;
const PATTERN = /^[A-Za-z0-9_-]{24}$/;

/** Folder of the records by accessor. */
const FOLDER = 'accessor/';

/** What is stored of an accessor: its token's storage key. */
interface AccessorRecord {
  readonly accessor: string;
  readonly key: string;
}

export const makeAccessor = (tx: SealedTransaction): string => tx.random(RANDOM_BYTES).toString('base64url');

/** The name of an accessor's record, and of its token's lease. Without a slash. */
export const accessorId = (tx: SealedTransaction, accessor: string): string =>
  `${accessor.slice(0, SORTED)}-${tx.mac('accessor', accessor)}`;

/** Makes a token findable by its accessor, whose name as a record a caller may know. */
export function putAccessor(
  tx: SealedTransaction,
  key: string,
  { accessor }: TokenRecord,
  id = accessorId(tx, accessor),
): void {
  const record: AccessorRecord = { accessor, key };
  tx.put(FOLDER + id, encodeRecord(record));
}

export function removeAccessor(
  tx: SealedTransaction,
  writer: Pick<SealedTransaction, 'delete'>,
  { accessor }: TokenRecord,
  id = accessorId(tx, accessor),
): void {
  writer.delete(FOLDER + id);
}

/** The storage key of the token that an accessor belongs to. */
export async function keyOfAccessor(tx: SealedTransaction, accessor: string): Promise<string | undefined> {
  return PATTERN.test(accessor) ? (await keyOfId(tx, accessorId(tx, accessor)))?.key : undefined;
}

/** The same by the name of its record. */
export async function keyOfId(tx: SealedTransaction, id: string): Promise<AccessorRecord | undefined> {
  const found = await tx.get(FOLDER + id);
  return found === undefined ? undefined : decodeRecord<AccessorRecord>(found);
}

/** The accessors behind `after`, in their order, at most `limit`. */
export async function accessors(
  tx: Pick<SealedTransaction, 'range'>,
  after: string,
  limit: number,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let start = FOLDER + after.slice(0, SORTED); found.length < limit; ) {
    const entries = await entriesFrom(tx, start, limit);
    for (const { value } of entries) {
      const { accessor } = decodeRecord<AccessorRecord>(value);
      if (accessor > after && found.length < limit) found.push(accessor);
    }
    const last = entries.at(-1);
    if (last === undefined || entries.length < limit) break;
    start = `${last.key}\0`;
  }
  return found;
}

const entriesFrom = (
  tx: Pick<SealedTransaction, 'range'>,
  start: string,
  limit: number,
): Awaitable<readonly { readonly key: string; readonly value: Buffer }[]> =>
  tx.range({ start, end: `${FOLDER.slice(0, -1)}0`, limit });
