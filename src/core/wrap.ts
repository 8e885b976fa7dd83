import type { SealedTransaction } from '../barrier/index.ts';
import type { Answer, Verbatim } from '../framework/answer.ts';
import { badRequest, permissionDenied } from '../framework/errors.ts';
import { parseDuration } from '../framework/kinds/index.ts';
import { DESCRIBED_PIECE, PIECE } from '../framework/listing.ts';
import { type Constraints, withinBounds } from '../policies/index.ts';
import { type Call, readHeader, WRAP_TTL } from './call.ts';
import { type Outcome, reply } from './envelope.ts';
import { wrapAnswer } from './wrapping.ts';

const HEADER = 'X-Service-Wrap-TTL';

/**
 * For how long the answer is to be wrapped, in seconds; 0 for not at all, which a header of `0`, an empty one and none say
 * (4-open-points, Conventions). A part of a second counts as one. 400 where it is no duration, negative, or longer than
 * tokens may live. 403 beyond what policies allow.
 */
export function wrapSeconds(
  constraints: Pick<Constraints, 'wrapping'> | undefined,
  call: Call,
  maxSeconds: number,
): number {
  const seconds = askedSeconds(call);
  if (seconds > maxSeconds) throw badRequest(`${HEADER}: must be at most ${maxSeconds} seconds`);
  const bounds = constraints?.wrapping;
  if (bounds !== undefined && !withinBounds(bounds, seconds * 1_000)) throw permissionDenied();
  return seconds;
}

function askedSeconds(call: Call): number {
  const given = readHeader(call.request.headers, WRAP_TTL);
  const millis = given === undefined ? 0 : parseDuration(HEADER, given);
  if (millis < 0) throw badRequest(`${HEADER}: must not be negative`);
  return Math.ceil(millis / 1_000);
}

/** For what cannot be wrapped, and must not go out in clear where that was asked for: 400. */
export function refuseWrapping(call: Call): void {
  if (askedSeconds(call) > 0)
    throw badRequest(`${HEADER}: what this path answers cannot be wrapped: leave the header out`);
}

/** Bytes of an answer that is wrapped: what a request may bring, and what stands around it. */
const MAX_ANSWER_BYTES = 34 * 1024 * 1024;

/** What a request came to that asks for no wrapping: 400 where its endpoint answers wrapped alone. */
export function unwrapped(outcome: Outcome): Outcome {
  if (outcome.shape === 'wrapped' && outcome.answer.wrapInfo === undefined) {
    throw badRequest(`${HEADER}: is required: say how long the answer is kept, as 5m`);
  }
  return outcome;
}

/** What is asked of wrapping; seconds. */
export interface Wish {
  readonly ttl: number;
  readonly path: string;
  readonly displayName: string;
}

/**
 * Wraps what a request came to: stores the answer in this transaction, just as it would have gone out, and puts a wrapping
 * token in its place. What has no content, and what is a wrapping token already, is left as it is. 400 for an answer that is
 * too long.
 */
export function wrapOutcome(
  tx: SealedTransaction,
  requestId: string,
  outcome: Outcome,
  { ttl, path, displayName }: Wish,
): Outcome {
  const { answer, auth, warnings } = outcome;
  if (answer.wrapInfo !== undefined) return outcome;
  if (answer.moreKeys !== undefined) {
    throw badRequest(
      `${HEADER}: a list of more than ${PIECE} names (${DESCRIBED_PIECE} with key_info), or a scan of many folders, is not wrapped: ask for a part of it`,
    );
  }
  const whole = verbatim(requestId, outcome);
  if (whole === undefined) return outcome;
  if (whole.body.length > MAX_ANSWER_BYTES) {
    throw badRequest(`${HEADER}: an answer of more than ${MAX_ANSWER_BYTES} bytes is not wrapped`);
  }
  const { accessor } = auth ?? {};
  const wrappedAccessor = typeof accessor === 'string' ? accessor : undefined;
  const wrapped: Answer = { wrapInfo: wrapAnswer(tx, whole, { ttl, path, displayName, wrappedAccessor }) };
  return { shape: 'envelope', answer: wrapped, auth: undefined, lease: undefined, warnings };
}

/** The answer as it would go out; nothing where it has no content. */
function verbatim(requestId: string, outcome: Outcome): Verbatim | undefined {
  const { status, contentType, body } = reply(requestId, outcome);
  if (typeof body === 'string') return { status, contentType, body: Buffer.from(body) };
  return Buffer.isBuffer(body) ? { status, contentType, body } : undefined;
}
