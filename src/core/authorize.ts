import type { SealedTransaction } from '../barrier/index.ts';
import type { Endpoint, Verb } from '../framework/endpoint.ts';
import { methodNotAllowed, noHandler, permissionDenied, ServiceError } from '../framework/errors.ts';
import {
  type AclView,
  type Capability,
  type Constraints,
  type Decision,
  type Identity,
  NO_ACL,
} from '../policies/index.ts';
import { authenticate, type Bearer, spendUse } from '../tokens/authenticate.ts';
import type { Call } from './call.ts';
import { rightsOf } from './principal.ts';
import type { Nowhere } from './route.ts';
import type { Revision } from './state.ts';

/** Who calls, and what they may do. Nobody may do nothing. */
export interface Authority {
  readonly bearer: Bearer | undefined;
  readonly acl: AclView;
  /** Policies of the entity that the token speaks for, and of its groups. */
  readonly identityPolicies: readonly string[];
  readonly identity: Identity | undefined;
}

const NOBODY: Authority = { bearer: undefined, acl: NO_ACL, identityPolicies: [], identity: undefined };

/** What a policy must grant for each verb. */
export const CAPABILITIES: Readonly<Record<Verb, Capability>> = {
  read: 'read',
  list: 'list',
  scan: 'scan',
  write: 'update',
  patch: 'patch',
  remove: 'delete',
};

/**
 * Looks up who calls. An endpoint that takes no token does not look at one; every other call without a valid token is
 * refused (403), save where a token is optional and there is none. A counted use is spent here, before any decision,
 * save where slow work is still to be done before the request's real transaction.
 */
export async function identify(
  tx: SealedTransaction,
  revision: Revision,
  call: Call,
  { access, deadToken }: Pick<Endpoint<never>, 'access' | 'deadToken'>,
  spend: boolean,
): Promise<Authority> {
  if (access === 'none') return NOBODY;
  if (call.token === undefined) {
    if (access === 'optional') return NOBODY;
    throw permissionDenied();
  }
  const presented = { value: call.token, peer: call.request.peer };
  const found = await authenticate(tx, revision, presented, deadToken && (() => deadToken(call.request.body)));
  const bearer = spend ? spendUse(tx, found) : found;
  const rights = await rightsOf(tx, revision, bearer.record);
  if (rights === undefined) throw permissionDenied();
  return { bearer, ...rights };
}

/** No namespace but the root is offered: 404 to who has a valid token, else 403. */
export function refuseForeignNamespace(call: Call, { bearer }: Authority): void {
  if (!call.foreignNamespace) return;
  throw bearer === undefined ? permissionDenied() : foreignNamespace();
}

export const foreignNamespace = (): ServiceError =>
  new ServiceError(404, ['namespace: only the root namespace exists']);

/** Refuses a call that leads nowhere; that the path is missing, or has no such method, learns only who may call it. */
export function refuseNowhere(nowhere: Nowhere, call: Call, { acl }: Authority): never {
  const capability = CAPABILITIES[call.verb];
  const decision = acl.decide(capability, policyPath(call));
  const may = decision?.has(capability) === true || (call.verb === 'write' && decision?.has('create') === true);
  if (!may) throw permissionDenied();
  throw nowhere === 'path' ? noHandler() : methodNotAllowed();
}

/**
 * Asks the policies: 403 unless they grant the verb on the canonical path, and `sudo` where the endpoint wants it. Gives
 * what else the rule says that decides.
 * @param folded the path with its names in their one form, where that is another: a rule for it holds too (known-attacks A3)
 */
export async function authorize(
  endpoint: Pick<Endpoint<never>, 'access' | 'sudo' | 'verb'>,
  call: Call,
  { acl }: Authority,
  exists: (() => Promise<boolean>) | undefined,
  folded?: string,
): Promise<Constraints | undefined> {
  if (endpoint.access !== 'policy') return undefined;
  const operation = CAPABILITIES[endpoint.verb];
  const given = acl.decide(operation, policyPath(call));
  if (given === undefined) throw permissionDenied();
  const named = folded === undefined ? undefined : acl.decide(operation, policyPath({ ...call, path: folded }));
  const decision = named === undefined ? given : both(given, named);
  const capability = await wanted(endpoint.verb, decision, exists);
  if (!decision.has(capability)) throw permissionDenied();
  if (endpoint.sudo && !decision.has('sudo')) throw permissionDenied();
  return decision.constraints;
}

/** What both of two rules permit; the second is the one for the name in its one form, which narrows it. */
const both = (given: Decision, named: Decision): Decision => ({
  has: (capability) => given.has(capability) && named.has(capability),
  constraints: named.constraints ?? given.constraints,
});

async function wanted(
  verb: Verb,
  decision: Decision,
  exists: (() => Promise<boolean>) | undefined,
): Promise<Capability> {
  if (verb !== 'write' || exists === undefined) return CAPABILITIES[verb];
  // Who may neither create nor update learns nothing of what exists.
  if (!decision.has('create') && !decision.has('update')) throw permissionDenied();
  return (await exists()) ? 'update' : 'create';
}

/** A list is of a folder, so its path ends in a slash whichever way it was asked for. */
export const policyPath = ({ verb, path }: Call): string =>
  (verb === 'list' || verb === 'scan') && !path.endsWith('/') ? `${path}/` : path;
