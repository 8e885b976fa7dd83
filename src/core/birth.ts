import type { SealedTransaction } from '../barrier/index.ts';
import type { Answer, Data, Grant } from '../framework/answer.ts';
import type { Mount } from '../framework/context.ts';
import { permissionDenied } from '../framework/errors.ts';
import type { Bearer } from '../tokens/authenticate.ts';
import { issueToken } from '../tokens/issue.ts';
import { authView } from './auth-view.ts';
import type { Call } from './call.ts';
import { grantLogin } from './login.ts';
import { rightsOf } from './principal.ts';
import type { Revision } from './state.ts';

/** What a token is born of. */
interface Cradle {
  readonly revision: Revision;
  readonly mount: Mount;
  readonly call: Call;
  readonly bearer: Bearer | undefined;
}

/** What an answer brought forth besides its data. */
export interface Born {
  /** The `auth` member. */
  readonly auth: Data | undefined;
  readonly warnings: readonly string[];
}

/** Makes the token that an answer grants, in the same transaction. 403 where its entity is disabled. */
export async function bear(tx: SealedTransaction, answer: Answer, cradle: Cradle): Promise<Born> {
  const warnings = answer.warnings ?? [];
  if (answer.grant !== undefined) return { auth: await make(tx, answer.grant, undefined, cradle), warnings };
  if (answer.login !== undefined) {
    const { mount, call } = cradle;
    const { grant, warnings: more } = await grantLogin(tx, answer.login, {
      mount,
      path: call.path,
      peer: call.request.peer,
    });
    return { auth: await make(tx, grant, answer.login.renewal, cradle), warnings: [...warnings, ...more] };
  }
  return { auth: answer.auth, warnings };
}

async function make(
  tx: SealedTransaction,
  grant: Grant,
  login: string | undefined,
  { revision, mount, bearer }: Cradle,
): Promise<Data> {
  const parent = grant.orphan ? undefined : bearer;
  const entityId = grant.entityId ?? parent?.record.entityId ?? '';
  const birth = {
    origin: { mount: mount.uuid, path: grant.path.slice(mount.path.length) },
    entityId,
    parent,
    ...(login === undefined ? {} : { login }),
    created: tx.now,
  };
  const { value, record } = await issueToken(tx, grant, birth);
  const rights = entityId === '' ? undefined : await rightsOf(tx, revision, record);
  if (entityId !== '' && rights === undefined) throw permissionDenied();
  const identityPolicies = rights?.identityPolicies ?? [];
  return authView({ value, record, orphan: parent === undefined, ttl: record.ttl, identityPolicies });
}
