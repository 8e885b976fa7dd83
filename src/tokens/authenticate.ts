import type { SealedTransaction } from '../barrier/index.ts';
import type { Verbatim } from '../framework/answer.ts';
import { contains } from '../framework/cidr.ts';
import { permissionDenied, type ServiceError } from '../framework/errors.ts';
import { findToken } from './find.ts';
import { heldAnswer } from './holding.ts';
import { putToken, removeToken, type Standing } from './store.ts';
import type { TokenRecord } from './token.ts';

/** A token that was presented and found alive. */
export interface Bearer {
  readonly value: string;
  /** Its storage key. */
  readonly key: string;
  /** As it is after this use. */
  readonly record: TokenRecord;
  /** Whether its uses are counted. */
  readonly restricted: boolean;
  /** What a wrapping token holds. It is read before the token's one use is spent, as it goes with the token. */
  readonly answer: Verbatim | undefined;
}

/** What came with a request. */
export interface Presented {
  readonly value: string;
  /** The client's address, canonical. */
  readonly peer: string;
}

/**
 * The token of a request: refused, 403 where nothing else is said, the same for all reasons, where it is unknown, expired,
 * revoked or spent, or is not to be used from this address.
 */
export async function authenticate(
  tx: SealedTransaction,
  standing: Standing,
  { value, peer }: Presented,
  refusal: () => ServiceError = permissionDenied,
): Promise<Bearer> {
  const found = await findToken(tx, standing, value);
  if (found === undefined) throw refusal();
  const { key, record } = found;
  const { holds, boundCidrs } = record;
  if (boundCidrs !== undefined && !contains(boundCidrs, peer)) throw refusal();
  const answer = holds?.kind === 'answer' ? await heldAnswer(tx, key, holds) : undefined;
  return { value, key, record, restricted: record.numUses !== 0, answer };
}

/** Takes one use from a token whose uses are counted; the last one ends it. It is taken from refused requests too. */
export function spendUse(tx: SealedTransaction, bearer: Bearer): Bearer {
  if (!bearer.restricted) return bearer;
  const { key, record } = bearer;
  const left = { ...record, numUses: record.numUses - 1 };
  if (left.numUses === 0) removeToken(tx, tx.spend, key, record);
  else putToken(tx.spend, key, left);
  return { ...bearer, record: left };
}
