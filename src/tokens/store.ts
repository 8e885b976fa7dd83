import type { Awaitable, SealedTransaction } from '../barrier/index.ts';
import { decodeRecord, encodeRecord } from '../framework/record.ts';
import { removeHolding } from './holding.ts';
import type { TokenRecord } from './token.ts';

/** Tokens and accessors are stored under keyed hashes, so a stolen store holds none of them. */
export const tokenKey = (tx: SealedTransaction, value: string): string => `token/${tx.mac('token', value)}`;

const accessorKey = (tx: SealedTransaction, accessor: string): string => `accessor/${tx.mac('accessor', accessor)}`;

export function putToken(writer: Pick<SealedTransaction, 'put'>, key: string, record: TokenRecord): void {
  writer.put(key, encodeRecord(record));
}

/** Makes a token findable by its accessor. */
export function putAccessor(tx: SealedTransaction, key: string, record: TokenRecord): void {
  tx.put(accessorKey(tx, record.accessor), encodeRecord(key));
}

/** The storage key of the token that an accessor belongs to. */
export async function keyOfAccessor(tx: SealedTransaction, accessor: string): Promise<string | undefined> {
  const found = await tx.get(accessorKey(tx, accessor));
  return found === undefined ? undefined : decodeRecord<string>(found);
}

/** Removes a token, its accessor and what it holds; what it is the parent of dies with it. */
export function removeToken(
  tx: SealedTransaction,
  writer: Pick<SealedTransaction, 'put' | 'delete'>,
  key: string,
  record: TokenRecord,
): void {
  writer.delete(key);
  writer.delete(accessorKey(tx, record.accessor));
  removeHolding(writer, key, record, tx.now);
}

/** A token that is alive at the transaction's time: not expired, and none of those it dies with gone or expired. */
export async function liveToken(tx: SealedTransaction, key: string): Promise<TokenRecord | undefined> {
  const record = await readToken(tx, key);
  if (record === undefined || isExpired(record, tx.now)) return undefined;
  tx.distant?.prefetch(record.ancestors.map((ancestor) => ancestor.key));
  for (const ancestor of record.ancestors) {
    const other = await readToken(tx, ancestor.key);
    if (other === undefined || other.accessor !== ancestor.accessor || isExpired(other, tx.now)) return undefined;
  }
  return record;
}

/**
 * The record as it is in this snapshot. It is read each time; what is kept is only the work of opening it, for as long
 * as its sealed bytes are the same.
 */
const readToken = (tx: SealedTransaction, key: string): Awaitable<TokenRecord | undefined> =>
  tx.cached(key, decodeToken);

const decodeToken = (plain: Buffer): TokenRecord => decodeRecord<TokenRecord>(plain);

const isExpired = ({ expires }: TokenRecord, now: number): boolean => expires !== undefined && expires <= now;
