import { randomUUID } from 'node:crypto';
import type { SealedTransaction } from '../barrier/index.ts';
import { ServiceError, unavailable } from '../framework/errors.ts';
import type { HttpReply, HttpRequest } from '../http/message.ts';
import { issueToken } from '../tokens/issue.ts';
import { authorize, identify, refuseForeignNamespace, refuseNowhere } from './authorize.ts';
import { bind } from './bind.ts';
import { type Call, readCall } from './call.ts';
import { errorReply, type Outcome, reply } from './envelope.ts';
import { parseParameters, parsePathParameters } from './parameters.ts';
import { Preparation } from './prepare.ts';
import { route } from './route.ts';
import type { Service } from './service.ts';
import { answerStatus } from './status.ts';
import { refuseWrapping } from './wrap.ts';

/** One request, from its bytes to its reply. Never throws. */
export async function handle(service: Service, request: HttpRequest): Promise<HttpReply> {
  const id = randomUUID();
  try {
    const call = readCall(request);
    return (await answerStatus(service, call)) ?? reply(id, await perform(service, call));
  } catch (error) {
    if (!(error instanceof ServiceError)) service.log.error('a request failed', { request_id: id, error });
    return errorReply(id, error);
  }
}

/** Slow work of a request that was done before its transaction, and what that work gave. */
interface Done {
  readonly preparation: Preparation;
  readonly result: unknown;
}

/** What one run of the transaction came to: an outcome with what is to follow it, or slow work to do first. */
type Step =
  | { readonly outcome: Outcome; readonly effects: readonly (() => Promise<void>)[] }
  | { readonly prepare: () => Promise<Done> };

const MAX_PREPARATIONS = 5;

/** Runs the transaction, and before it, where the endpoint declares any, the slow work: again where it went stale. */
async function perform(service: Service, call: Call): Promise<Outcome> {
  let done: Done | undefined;
  for (let tries = 0; tries <= MAX_PREPARATIONS; tries++) {
    const step: Step = await service.barrier.transact((tx) => inTransaction(service, tx, call, done));
    if ('prepare' in step) {
      done = await step.prepare();
      continue;
    }
    for (const effect of step.effects) await effect();
    return step.outcome;
  }
  throw unavailable('what the request relies on keeps changing: try again', 1);
}

/** The straight line: everything from the token to the token born of the answer commits as one, or not at all. */
async function inTransaction(
  service: Service,
  tx: SealedTransaction,
  call: Call,
  done: Done | undefined,
): Promise<Step> {
  const revision = await service.state.current(tx);
  const way = route(service, revision, call);
  if (typeof way === 'string') {
    const authority = await identify(tx, revision, call, 'policy', true);
    refuseForeignNamespace(call, authority);
    return refuseNowhere(way, call, authority);
  }

  const { endpoint, captured } = way.match;
  const { prepare } = endpoint;
  const ready = prepare === undefined || (done !== undefined && (await done.preparation.holds(tx)));
  const authority = await identify(tx, revision, call, endpoint.access, ready);
  refuseForeignNamespace(call, authority);
  const { exists, run, effects } = bind(way, { service, tx, revision, call, authority, prepared: done?.result });
  await authorize(endpoint, call, authority, exists && (() => exists(parsePathParameters(endpoint, captured))));
  refuseWrapping(call);
  const values = parseParameters(endpoint, captured, call);
  if (!ready) {
    const preparation = new Preparation(service.barrier, way.mount, call.request.peer);
    return { prepare: async () => ({ preparation, result: await prepare(values, preparation.context) }) };
  }

  const answer = await run(values);
  const auth = answer.grant && (await issueToken(tx, answer.grant, authority.bearer));
  return { outcome: { shape: endpoint.shape, answer, auth, warnings: answer.warnings ?? [] }, effects };
}
