import { randomUUID } from 'node:crypto';
import type { SealedTransaction } from '../barrier/index.ts';
import { ServiceError, unavailable } from '../framework/errors.ts';
import type { HttpReply, HttpRequest } from '../http/message.ts';
import { spendUse } from '../tokens/authenticate.ts';
import { admit } from './admit.ts';
import { identify, refuseForeignNamespace, refuseNowhere } from './authorize.ts';
import { bind } from './bind.ts';
import { bear } from './birth.ts';
import { type Call, readCall } from './call.ts';
import { errorReply, type Outcome, reply } from './envelope.ts';
import { RefusedLogin, underLockout } from './lockout.ts';
import { withPermittedHeaders } from './mount-headers.ts';
import { Prepared } from './prepare.ts';
import { route } from './route.ts';
import type { Service } from './service.ts';
import { answerStatus } from './status.ts';
import { unwrapped, wrapOutcome } from './wrap.ts';

/** One request, from its bytes to its reply. Never throws. */
export async function handle(service: Service, request: HttpRequest): Promise<HttpReply> {
  const id = randomUUID();
  try {
    const call = readCall(request);
    return (await answerStatus(service, call)) ?? reply(id, await perform(service, call, id));
  } catch (error) {
    if (error instanceof RefusedLogin) await error.leastTime();
    if (!(error instanceof ServiceError)) service.log.error('a request failed', { request_id: id, error });
    return errorReply(id, error);
  }
}

/** What one run of the transaction came to: an outcome with what is to follow it, or slow work to do first. */
type Step =
  | { readonly outcome: Outcome; readonly effects: readonly (() => Promise<void>)[] }
  | { readonly prepare: () => Promise<Prepared> };

const MAX_PREPARATIONS = 5;

/** Runs the transaction, and before it, where the endpoint declares any, the slow work: again where it went stale. */
async function perform(service: Service, call: Call, id: string): Promise<Outcome> {
  let prepared: Prepared | undefined;
  for (let tries = 0; tries <= MAX_PREPARATIONS; tries++) {
    const step: Step = await service.barrier.transact((tx) => inTransaction(service, tx, call, id, prepared));
    if ('prepare' in step) {
      prepared = await step.prepare();
      continue;
    }
    for (const effect of step.effects) await effect();
    return step.outcome;
  }
  throw unavailable('what the request relies on keeps changing: try again', 1);
}

/** What a call that leads nowhere is held against: only who may call there is told so. */
const ANYWHERE = { access: 'policy', deadToken: undefined } as const;

/** The straight line: everything from the token to what wraps the answer commits as one, or not at all. */
async function inTransaction(
  service: Service,
  tx: SealedTransaction,
  call: Call,
  id: string,
  prepared: Prepared | undefined,
): Promise<Step> {
  const { foresight } = service;
  foresight.begin(tx, call);
  prepared?.foresee(tx);
  const revision = await service.state.current(tx);
  const way = route(service, revision, call);
  if (typeof way === 'string') {
    const authority = await identify(tx, revision, call, ANYWHERE, true);
    refuseForeignNamespace(call, authority);
    return refuseNowhere(way, call, authority);
  }

  const { endpoint } = way.match;
  const { prepare } = endpoint;
  const ready = prepare === undefined || (prepared !== undefined && (await prepared.holds(tx, way)));
  const authority = await identify(tx, revision, call, endpoint, ready);
  foresight.identified(tx, call, authority);
  const { exists, run, effects } = bind(way, { service, tx, revision, call, authority });
  const maxWrap = service.settings.leases.maxTtl;
  const { values, wrap } = await admit(call, authority, way.match, exists, maxWrap).catch((refusal: unknown) => {
    // Slow work is not begun, so this is all that comes of the request, and it counts as a use.
    if (!ready && authority.bearer !== undefined) spendUse(tx, authority.bearer);
    throw refusal;
  });
  if (!ready)
    return { prepare: () => Prepared.make(service.barrier, way, call, (context) => prepare(values, context)) };

  const handled = await underLockout(tx, revision, way, values, () => run(values, prepared?.result()));
  const answer = withPermittedHeaders(way, handled);
  foresight.answered(tx, call, authority);
  const born = await bear(tx, answer, { revision, way, call, bearer: authority.bearer });
  const outcome = { shape: endpoint.shape, answer, ...born };
  if (wrap === 0) return { outcome: unwrapped(outcome), effects };
  const displayName = authority.bearer?.record.displayName ?? '';
  return { outcome: wrapOutcome(tx, id, outcome, { ttl: wrap, path: call.path, displayName }), effects };
}
