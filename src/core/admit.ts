import type { Arrived } from '../framework/endpoint.ts';
import type { Match } from '../framework/router.ts';
import { type Authority, authorize, refuseForeignNamespace } from './authorize.ts';
import type { Call } from './call.ts';
import { checkParameters, pageOf } from './constraints.ts';
import { foldedPath } from './folded-path.ts';
import { parseParameters, readGiven } from './parameters.ts';
import { wrapSeconds } from './wrap.ts';

/** What arrived with a call that is admitted. */
export interface Admitted {
  readonly values: Arrived;
  /** Seconds for which the answer is to be wrapped; 0 for not at all. */
  readonly wrap: number;
}

/**
 * What must hold before a handler runs, in this order, so that a refusal tells a caller nothing that policies keep from
 * them: the namespace, the policies, the wrapping that is asked for, the shape of the parameters.
 * @param maxWrap longest lifetime of a wrapping token, in seconds
 */
export async function admit<C>(
  call: Call,
  authority: Authority,
  { endpoint, captured }: Match<C>,
  exists: (() => Promise<boolean>) | undefined,
  maxWrap: number,
): Promise<Admitted> {
  refuseForeignNamespace(call, authority);
  const constraints = await authorize(endpoint, call, authority, exists, foldedPath({ endpoint, captured }, call.path));
  const wrap = wrapSeconds(constraints, call, maxWrap);
  const given = readGiven(endpoint.verb, call);
  if (endpoint.verb === 'list' || endpoint.verb === 'scan') {
    return { values: parseParameters(endpoint, captured, pageOf(constraints, given)), wrap };
  }
  if (constraints !== undefined) checkParameters(constraints, endpoint, given);
  return { values: parseParameters(endpoint, captured, given), wrap };
}
