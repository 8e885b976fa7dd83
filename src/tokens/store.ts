import type { Awaitable, SealedTransaction } from '../barrier/index.ts';
import { decodeRecord, encodeRecord } from '../framework/record.ts';
import { accessorId, removeAccessor } from './accessor.ts';
import { removeHolding } from './holding.ts';
import { removeTokenLease } from './lease.ts';
import type { Ancestor, TokenRecord } from './token.ts';

/** Tokens are stored under keyed hashes, so a stolen store holds none of them. */
export const tokenKey = (tx: SealedTransaction, value: string): string => `token/${tx.mac('token', value)}`;

export function putToken(writer: Pick<SealedTransaction, 'put'>, key: string, record: TokenRecord): void {
  writer.put(key, encodeRecord(record));
}

/** Removes a token, its accessor and what it holds; what it is the parent of dies with it. */
export function removeToken(
  tx: SealedTransaction,
  writer: Pick<SealedTransaction, 'put' | 'delete'>,
  key: string,
  record: TokenRecord,
): void {
  writer.delete(key);
  const id = accessorId(tx, record.accessor);
  removeAccessor(tx, writer, record, id);
  removeTokenLease(tx, writer, record, id);
  removeHolding(writer, key, record, tx.now);
}

/** What the mounts of a snapshot tell of tokens. */
export interface Standing {
  /** Whether the mount that gave a token is still there, and it was not revoked with all others below a path. */
  stands(token: Pick<TokenRecord, 'origin' | 'created'>): boolean;
}

/** What decides whether a token is alive. */
export type Life = Pick<TokenRecord, 'created' | 'expires' | 'origin' | 'ancestors'>;

/**
 * A token that is alive at the transaction's time: not expired, its mount there, and so of each it dies with. What an ancestor
 * that was revoked alone (`revoke-orphan`) came from counts no more: its ancestors are those that it still depends on.
 */
export async function liveToken(
  tx: SealedTransaction,
  standing: Standing,
  key: string,
): Promise<TokenRecord | undefined> {
  const record = await readToken(tx, key);
  if (record === undefined || isOver(tx, standing, record)) return undefined;
  // Most tokens are orphans, and are not waited for.
  if (record.ancestors.length === 0) return record;
  const ancestors = await livingAncestors(tx, standing, record);
  if (ancestors === undefined) return undefined;
  return ancestors.length === record.ancestors.length ? record : { ...record, ancestors };
}

/** Whether a token is alive whose record was read before. */
export const lives = async (tx: SealedTransaction, standing: Standing, life: Life): Promise<boolean> =>
  !isOver(tx, standing, life) && (await livingAncestors(tx, standing, life)) !== undefined;

/** The ancestors that something depends on: those up to one that was revoked alone; undefined where one has ended. */
export async function livingAncestors(
  tx: SealedTransaction,
  standing: Standing,
  { ancestors }: Life,
): Promise<readonly Ancestor[] | undefined> {
  tx.distant?.prefetch(ancestors.map(({ key }) => key));
  for (const [i, ancestor] of ancestors.entries()) {
    const other = await readToken(tx, ancestor.key);
    if (other === undefined || other.accessor !== ancestor.accessor) {
      return (await wasLetGo(tx, ancestor)) ? ancestors.slice(0, i) : undefined;
    }
    if (isOver(tx, standing, other)) return undefined;
  }
  return ancestors;
}

/**
 * The record as it is in this snapshot, whether it is alive or not. What is kept is only the work of opening it, for as long
 * as its sealed bytes are the same.
 */
export const readToken = (tx: SealedTransaction, key: string): Awaitable<TokenRecord | undefined> =>
  tx.cached(key, decodeToken);

const decodeToken = (plain: Buffer): TokenRecord => decodeRecord<TokenRecord>(plain);

const isOver = ({ now }: SealedTransaction, standing: Standing, record: Life): boolean =>
  (record.expires !== undefined && record.expires <= now) || !standing.stands(record);

const letGoKey = (accessor: string): string => `orphaned/${accessor}`;

/** Notes that a token, which is removed, lets its children live on. */
export function letGo(tx: SealedTransaction, { accessor }: TokenRecord): void {
  tx.put(letGoKey(tx.mac('orphaned', accessor)), Buffer.alloc(0));
}

async function wasLetGo(tx: SealedTransaction, { accessor }: Ancestor): Promise<boolean> {
  return (await tx.version(letGoKey(tx.mac('orphaned', accessor)))) !== undefined;
}
