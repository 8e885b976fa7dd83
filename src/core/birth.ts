import type { SealedTransaction } from '../barrier/index.ts';
import type { Answer, Data, Grant, LeaseGrant, LeaseView } from '../framework/answer.ts';
import { permissionDenied } from '../framework/errors.ts';
import { grantLease } from '../leases/grant.ts';
import type { Bearer } from '../tokens/authenticate.ts';
import { issueToken } from '../tokens/issue.ts';
import { authView } from './auth-view.ts';
import type { Call } from './call.ts';
import { foldedPath } from './folded-path.ts';
import { grantLogin } from './login.ts';
import { rightsOf } from './principal.ts';
import type { Route } from './route.ts';
import type { Revision } from './state.ts';

/** What a token is born of. */
interface Cradle {
  readonly revision: Revision;
  readonly way: Route;
  readonly call: Call;
  readonly bearer: Bearer | undefined;
}

/** What an answer brought forth besides its data. */
export interface Born {
  /** The `auth` member. */
  readonly auth: Data | undefined;
  readonly lease: LeaseView | undefined;
  readonly warnings: readonly string[];
}

/**
 * Makes the token or the lease that an answer grants, in the same transaction. 403 where the entity is disabled; 400 for a lease
 * in the last use of a token.
 */
export async function bear(tx: SealedTransaction, answer: Answer, cradle: Cradle): Promise<Born> {
  const warnings = answer.warnings ?? [];
  const lease = answer.lease === undefined ? answer.leased : await lend(tx, answer.lease, cradle);
  if (answer.grant !== undefined) return { auth: await make(tx, answer.grant, undefined, cradle), lease, warnings };
  if (answer.login !== undefined) {
    const { way, call } = cradle;
    const { grant, warnings: more } = await grantLogin(tx, answer.login, {
      mount: way.mount,
      // So that what ends the logins of a user ends those in every spelling (known-attacks R1).
      path: foldedPath(way.match, call.path) ?? call.path,
      peer: call.request.peer,
    });
    return { auth: await make(tx, grant, answer.login.renewal, cradle), lease, warnings: [...warnings, ...more] };
  }
  return { auth: answer.auth, lease, warnings };
}

function lend(
  tx: SealedTransaction,
  grant: LeaseGrant,
  { revision, way: { mount }, call, bearer }: Cradle,
): Promise<LeaseView> {
  const path = call.path.slice(mount.path.length);
  const issued = revision.cuts.issueTime({ mount: mount.uuid, path }, tx.now);
  return grantLease(tx, grant, { mount, path, bearer, issued });
}

async function make(
  tx: SealedTransaction,
  grant: Grant,
  login: string | undefined,
  { revision, way: { mount }, bearer }: Cradle,
): Promise<Data> {
  const parent = grant.orphan ? undefined : bearer;
  const entityId = grant.entityId ?? parent?.record.entityId ?? '';
  const origin = { mount: mount.uuid, path: grant.path.slice(mount.path.length) };
  const birth = {
    origin,
    entityId,
    parent,
    ...(login === undefined ? {} : { login }),
    created: revision.cuts.issueTime(origin, tx.now),
  };
  const { value, record } = await issueToken(tx, grant, birth);
  const rights = entityId === '' ? undefined : await rightsOf(tx, revision, record);
  if (entityId !== '' && rights === undefined) throw permissionDenied();
  const identityPolicies = rights?.identityPolicies ?? [];
  return authView({ value, record, orphan: parent === undefined, ttl: record.ttl, identityPolicies });
}
