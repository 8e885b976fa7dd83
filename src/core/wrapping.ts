import type { SealedTransaction } from '../barrier/index.ts';
import type { Data, Verbatim } from '../framework/answer.ts';
import { badRequest, type ServiceError } from '../framework/errors.ts';
import { answerKey, heldAnswer } from '../tokens/holding.ts';
import { issueWrapping, type WrapTerms } from '../tokens/issue.ts';
import { liveToken, removeToken, tokenKey } from '../tokens/store.ts';
import type { HeldAnswer, TokenRecord } from '../tokens/token.ts';
import { isPlausible } from '../tokens/value.ts';

/** 400 of a token that is used, unknown or expired, or that wraps nothing; clients match on the sentence. */
export const noWrappingToken = (): ServiceError => badRequest('wrapping token is not valid or does not exist');

/** A wrapping token comes from no mount, and is no token's child. */
const NO_MOUNT = { stands: () => true };

/** A wrapping token that is alive. */
export interface Wrapping {
  readonly key: string;
  readonly record: TokenRecord;
  readonly held: HeldAnswer;
}

/** Stores an answer for one who comes with the token that is made here; gives the `wrap_info` that shows it. */
export function wrapAnswer(tx: SealedTransaction, answer: Verbatim, terms: WrapTerms): Data {
  const { value, record } = issueWrapping(tx, answer, terms);
  return {
    token: value,
    accessor: record.accessor,
    ttl: record.ttl,
    creation_time: creationTime(record),
    creation_path: record.path,
    ...(terms.wrappedAccessor === undefined ? {} : { wrapped_accessor: terms.wrappedAccessor }),
  };
}

/** Finds the wrapping token of this value. 400 where there is none. */
export async function findWrapping(tx: SealedTransaction, value: string): Promise<Wrapping> {
  if (!isPlausible(value)) throw noWrappingToken();
  const key = tokenKey(tx, value);
  const record = await liveToken(tx, NO_MOUNT, key);
  if (record?.holds?.kind !== 'answer') throw noWrappingToken();
  return { key, record, held: record.holds };
}

/** What a wrapping token tells of itself, without being used. */
export const describeWrapping = ({ record }: Wrapping): Data => ({
  creation_path: record.path,
  creation_time: creationTime(record),
  creation_ttl: record.ttl,
});

/** Uses the wrapping token of this value: gives the answer and removes both. 400 where there is none. */
export async function takeAnswer(
  tx: SealedTransaction,
  value: string,
): Promise<Wrapping & { readonly answer: Verbatim }> {
  // Both come in one trip.
  if (isPlausible(value)) tx.distant?.prefetch([answerKey(tokenKey(tx, value))]);
  const wrapping = await findWrapping(tx, value);
  const { key, record, held } = wrapping;
  const answer = await heldAnswer(tx, key, held);
  removeToken(tx, tx, key, record);
  return { ...wrapping, answer };
}

const creationTime = ({ created }: TokenRecord): string => new Date(created).toISOString();
