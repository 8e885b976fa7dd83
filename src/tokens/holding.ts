import type { SealedTransaction } from '../barrier/index.ts';
import type { Verbatim } from '../framework/answer.ts';
import { dueId, nextLook, putDue } from './due.ts';
import type { Ancestor, HeldAnswer, HeldCubbyhole, TokenRecord } from './token.ts';

type Writer = Pick<SealedTransaction, 'put' | 'delete'>;

/** One life of a token, and what may end it. */
type Life = Ancestor & Pick<TokenRecord, 'expires' | 'ancestors'>;

const lastSegment = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

/** Where the answer lies that the wrapping token of this storage key holds. */
export const answerKey = (tokenKey: string): string => `wrapped/${lastSegment(tokenKey)}`;

/**
 * Stores an answer beside its wrapping token, and tells what the token's record is to hold.
 * @param wrappedAccessor of the token that the answer carries, if it does
 */
export function holdAnswer(
  tx: SealedTransaction,
  token: Life,
  { status, contentType, body }: Verbatim,
  wrappedAccessor: string | undefined,
): HeldAnswer {
  const { key, accessor } = token;
  tx.put(answerKey(key), body);
  return {
    kind: 'answer',
    due: putDue(tx, nextLook(token, tx.now), lastSegment(key), { key, accessor }),
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

/** Notes that a token has a cubbyhole under `prefix`, which ends in `/`; tells what its record is to hold. */
export function holdCubbyhole(tx: SealedTransaction, token: Life, prefix: string): HeldCubbyhole {
  const { key, accessor } = token;
  const id = lastSegment(prefix.slice(0, -1));
  const due = putDue(tx, nextLook(token, tx.now), id, { key, accessor, prefix });
  return { kind: 'cubbyhole', due, prefix };
}

/**
 * Removes what a token holds, in the transaction that removes the token. A cubbyhole may be of any size: nothing reaches it
 * any more, and its note, due at once, has it removed.
 */
export function removeHolding(writer: Writer, key: string, { accessor, holds }: TokenRecord, now: number): void {
  if (holds === undefined) return;
  writer.delete(holds.due);
  if (holds.kind === 'answer') writer.delete(answerKey(key));
  else putDue(writer, now, dueId(holds.due), { key, accessor, prefix: holds.prefix });
}

/** Notes when a token that holds something is to be looked at again; gives its record with that. */
export function noteAgain(tx: SealedTransaction, key: string, record: TokenRecord): TokenRecord {
  const { accessor, holds } = record;
  if (holds === undefined) return record;
  tx.delete(holds.due);
  const prefix = holds.kind === 'cubbyhole' ? { prefix: holds.prefix } : {};
  const due = putDue(tx, nextLook(record, tx.now), dueId(holds.due), { key, accessor, ...prefix });
  return { ...record, holds: { ...holds, due } };
}
