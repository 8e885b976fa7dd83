import type { SealedTransaction } from '../barrier/index.ts';
import type { Verbatim } from '../framework/answer.ts';
import { type DueToken, dueId, nextLook, putDue } from './due.ts';
import type { HeldAnswer, HeldCubbyhole, TokenRecord } from './token.ts';

type Writer = Pick<SealedTransaction, 'put' | 'delete'>;

const lastSegment = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

/** Where the answer of a wrapping token lies. */
export const answerKey = (key: string): string => `wrapped/${lastSegment(key)}`;

/** Stores an answer beside its token; tells what the token's record is to hold. */
export function holdAnswer(
  tx: SealedTransaction,
  key: string,
  { status, contentType, body }: Verbatim,
  wrappedAccessor: string | undefined,
): HeldAnswer {
  tx.put(answerKey(key), body);
  return {
    kind: 'answer',
    status,
    ...(contentType === undefined ? {} : { contentType }),
    ...(wrappedAccessor === undefined ? {} : { wrappedAccessor }),
  };
}

/** The answer that a wrapping token holds: it is there as long as the token is. */
export async function heldAnswer(tx: SealedTransaction, key: string, held: HeldAnswer): Promise<Verbatim> {
  const body = await tx.get(answerKey(key));
  if (body === undefined) throw new Error('a wrapping token has lost its answer');
  return { status: held.status, contentType: held.contentType, body };
}

/** The record of a token that has a cubbyhole under `prefix`, which ends in `/`. */
export function holdCubbyhole(tx: SealedTransaction, key: string, record: TokenRecord, prefix: string): TokenRecord {
  const holds: HeldCubbyhole = { kind: 'cubbyhole', prefix };
  return noteAgain(tx, key, { ...record, holds });
}

/**
 * Removes what a token holds, in the transaction that removes the token. A cubbyhole may be of any size, and so may its leases
 * be of any number: nothing reaches them any more, and its note, due at once, has them removed.
 */
export function removeHolding(writer: Writer, key: string, record: TokenRecord, now: number): void {
  const { accessor, due, holds, leased } = record;
  if (due !== undefined) writer.delete(due);
  if (holds?.kind === 'answer') writer.delete(answerKey(key));
  if (due !== undefined && (holds?.kind === 'cubbyhole' || leased)) {
    putDue(writer, now, dueId(due), { key, accessor, ...more(record) });
  }
}

/**
 * Notes when a token is to be looked at next; gives its record with that. An orphan that never ends and holds nothing is
 * not looked at.
 */
export function noteAgain(tx: SealedTransaction, key: string, record: TokenRecord): TokenRecord {
  const { accessor, ancestors, holds, leased, due: old } = record;
  if (record.expires === undefined && ancestors.length === 0 && holds === undefined && !leased) return record;
  if (old !== undefined) tx.delete(old);
  const id = old === undefined ? lastSegment(key) : dueId(old);
  // What holds nothing may lie there until its own time is up; what holds something may have died with an ancestor.
  const look =
    holds === undefined && !leased && record.expires !== undefined ? record.expires : nextLook(record, tx.now);
  return { ...record, due: putDue(tx, look, id, { key, accessor, ...more(record) }) };
}

/** What of a token is left to remove when it has ended. */
const more = ({ holds, leased }: TokenRecord): Pick<DueToken, 'prefix' | 'leased'> => ({
  ...(holds?.kind === 'cubbyhole' ? { prefix: holds.prefix } : {}),
  ...(leased ? { leased } : {}),
});
