import {
  type Answer,
  type Data,
  type LeaseView,
  type Pages,
  RawJson,
  render,
  type Verbatim,
} from '../framework/answer.ts';
import type { Shape } from '../framework/endpoint.ts';
import { ServiceError } from '../framework/errors.ts';
import type { HttpReply, Pieces } from '../http/message.ts';
import { errorReply as refusal } from '../http/reply.ts';

/** The `auth` member of an answer that carries a token. */
export type Auth = Data;

/** What a request came to, before it stands on the wire. */
export interface Outcome {
  readonly shape: Shape;
  readonly answer: Answer;
  readonly auth: Auth | undefined;
  /** What the answer carries is leased. */
  readonly lease: LeaseView | undefined;
  readonly warnings: readonly string[];
}

/**
 * The reply of a request that succeeded: in the envelope of document 1, convention 3, with all of its eight members,
 * or in the other shapes of 4-open-points "Conventions". Nothing to say is a 204. JSON ends in a line feed, so that
 * pipelined answers start on lines of their own.
 */
export function reply(requestId: string, outcome: Outcome): HttpReply {
  const { headers } = outcome.answer;
  const plain = replyOfShape(requestId, outcome);
  return headers === undefined ? plain : { ...plain, headers };
}

function replyOfShape(requestId: string, { shape, answer, auth, lease, warnings }: Outcome): HttpReply {
  const { data, status = 200, leaseDuration = 0, wrapInfo, verbatim } = answer;
  if (verbatim !== undefined) return replyOf(verbatim);
  if ((data ?? auth ?? lease ?? wrapInfo) === undefined && warnings.length === 0) return { status: 204 };
  if (shape === 'bare') return { status, body: `${render(data ?? {})}\n` };
  if (shape === 'text') return { status, contentType: 'text/plain; charset=utf-8', body: textOf(data) };
  const { id, duration, renewable } = lease ?? { id: '', duration: leaseDuration, renewable: false };
  const head = `{"request_id":"${requestId}","lease_id":${JSON.stringify(id)},"renewable":${renewable},"lease_duration":${duration},"data":`;
  const wrapping = wrapInfo === undefined ? 'null' : render(wrapInfo);
  const tail = `,"wrap_info":${wrapping},"warnings":${warnings.length === 0 ? 'null' : JSON.stringify(warnings)},"auth":${
    auth === undefined ? 'null' : render(auth)
  }`;
  const members = data === undefined ? 'null' : render(data);
  if (answer.moreKeys !== undefined) return { status, body: inPieces(head + members, answer.moreKeys, `${tail}}\n`) };
  return {
    status,
    body: `${head}${members}${tail}${shape === 'flat' && data !== undefined ? flatten(data, members) : ''}}\n`,
  };
}

const replyOf = ({ status, contentType, body }: Verbatim): HttpReply =>
  contentType === undefined ? { status, body } : { status, contentType, body };

/** A list that goes on: the names of `head`, which ends in the list and its object, then all that follow, then `tail`. */
function inPieces(head: string, more: Pages, tail: string): Pieces {
  async function* pieces(): AsyncGenerator<string> {
    try {
      yield head.slice(0, -LIST_END.length);
      for await (const keys of more) yield `,${JSON.stringify(keys).slice(1, -1)}`;
      if (more.info !== undefined) yield* keyInfo(more.info);
      yield (more.info === undefined ? LIST_END : '}}') + tail;
    } finally {
      more.close();
    }
  }
  return { [Symbol.asyncIterator]: pieces, close: () => more.close() };
}

/** The end of the names, and the members of `key_info`. */
async function* keyInfo(info: AsyncIterable<Data>): AsyncGenerator<string> {
  yield '],"key_info":{';
  let between = '';
  for await (const some of info) {
    const text = render(some).slice(1, -1);
    if (text === '') continue;
    yield between + text;
    between = ',';
  }
}

const LIST_END = ']}';

/** The reply of a request that was refused, or that failed: what is no `ServiceError` says nothing but the request id. */
export function errorReply(requestId: string, error: unknown): HttpReply {
  if (error instanceof ServiceError) return refusal(error);
  return refusal(new ServiceError(500, [`internal error: see the log for request ${requestId}`]));
}

/** The members of the envelope: no member of `data` stands beside the one of its name, or which holds is the reader's guess. */
const ENVELOPE: ReadonlySet<string> = new Set([
  'request_id',
  'lease_id',
  'renewable',
  'lease_duration',
  'data',
  'wrap_info',
  'warnings',
  'auth',
]);

/** The members of `data`, rendered as `members`, as they stand at the top level. */
function flatten(data: Data | RawJson, members: string): string {
  if (data instanceof RawJson) throw new Error('members that users name stand in data alone');
  const clash = Object.keys(data).some((name) => ENVELOPE.has(name));
  const text = clash
    ? render(Object.fromEntries(Object.entries(data).filter(([name]) => !ENVELOPE.has(name))))
    : members;
  return text.length > 2 ? `,${text.slice(1, -1)}` : '';
}

function textOf(data: Data | RawJson = {}): string {
  const { text } = data;
  if (typeof text !== 'string') throw new Error('an answer of plain text has a text');
  return text;
}
