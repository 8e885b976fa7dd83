import type { Arrived } from '../framework/endpoint.ts';
import type { Match } from '../framework/router.ts';
import { type Authority, authorize, refuseForeignNamespace } from './authorize.ts';
import type { Call } from './call.ts';
import { parseParameters } from './parameters.ts';
import { refuseWrapping } from './wrap.ts';

/**
 * What must hold before a handler runs, in this order, so that a refusal tells a caller nothing that policies keep from
 * them: the namespace, the policies, the wrapping that is asked for, the shape of the parameters.
 */
export async function admit<C>(
  call: Call,
  authority: Authority,
  { endpoint, captured }: Match<C>,
  exists: (() => Promise<boolean>) | undefined,
): Promise<Arrived> {
  refuseForeignNamespace(call, authority);
  await authorize(endpoint, call, authority, exists);
  refuseWrapping(call);
  return parseParameters(endpoint, captured, call);
}
