import type { SealedTransaction } from '../barrier/index.ts';
import type { Verbatim } from '../framework/answer.ts';
import { dueId, nextLook, putDue } from './due.ts';
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
 * Removes what a token holds, in the transaction that removes the token. A cubbyhole may be of any size: nothing reaches it
 * any more, and its note, due at once, has it removed.
 */
export function removeHolding(writer: Writer, key: string, { accessor, due, holds }: TokenRecord, now: number): void {
  if (due !== undefined) writer.delete(due);
  if (holds?.kind === 'answer') writer.delete(answerKey(key));
  if (holds?.kind === 'cubbyhole' && due !== undefined) {
    putDue(writer, now, dueId(due), { key, accessor, prefix: holds.prefix });
  }
}

/**
 * Notes when a token is to be looked at next; gives its record with that. A token that never ends and holds nothing is
 * not looked at.
 */
export function noteAgain(tx: SealedTransaction, key: string, record: TokenRecord): TokenRecord {
  const { accessor, holds, due: old } = record;
  if (record.expires === undefined && holds === undefined) return record;
  if (old !== undefined) tx.delete(old);
  const prefix = holds?.kind === 'cubbyhole' ? { prefix: holds.prefix } : {};
  const id = old === undefined ? lastSegment(key) : dueId(old);
  // What holds nothing may lie there until its own time is up; what holds something may have died with an ancestor.
  const look = holds === undefined && record.expires !== undefined ? record.expires : nextLook(record, tx.now);
  return { ...record, due: putDue(tx, look, id, { key, accessor, ...prefix }) };
}
