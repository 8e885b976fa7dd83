import type { SealedTransaction } from '../barrier/index.ts';
import type { Grant, Login } from '../framework/answer.ts';
import { contains } from '../framework/cidr.ts';
import type { Mount } from '../framework/context.ts';
import { badRequest, permissionDenied } from '../framework/errors.ts';
import type { TokenTerms } from '../framework/token-terms.ts';
import { admitLogin } from '../identity/login.ts';
import { lifetime } from '../tokens/lifetime.ts';

/** Where a login came in. */
export interface Entrance {
  readonly mount: Mount;
  /** Of the request, its names in their one form: the token's own, from then on. */
  readonly path: string;
  /** The client's address, canonical. */
  readonly peer: string;
}

/**
 * Makes a grant of a login: finds the entity of its alias, or makes it, and puts the terms of the role or user within those
 * of the mount (document 1, "Role parameters"). 403 for an address that the terms do not allow and for a disabled entity
 * (4-open-points, "JWT/OIDC").
 */
export async function grantLogin(
  tx: SealedTransaction,
  login: Login,
  { mount, path, peer }: Entrance,
): Promise<{ readonly grant: Grant; readonly warnings: readonly string[] }> {
  const { terms } = login;
  if (terms.boundCidrs.length > 0 && !contains(terms.boundCidrs, peer)) throw permissionDenied();
  const type = typeOf(terms, mount);
  const wish = { ...terms, field: 'token_ttl', issued: tx.now };
  const { ttl, warnings } = lifetime(wish, mount, tx.now);
  const grant: Grant = {
    type,
    policies: policiesOf(terms),
    displayName: displayName(mount, login),
    path,
    metadata: login.metadata,
    ttl,
    explicitMaxTtl: terms.explicitMaxTtl,
    period: terms.period,
    renewable: type === 'service',
    numUses: terms.numUses,
    orphan: true,
    boundCidrs: terms.strictlyBindIp ? [peer] : terms.boundCidrs,
    entityId: await admitLogin(tx, mount, login),
    id: undefined,
  };
  return { grant, warnings };
}

/** The mount, and behind it whom the method names, if anybody. */
function displayName({ path }: Mount, login: Login): string {
  const mount = path.slice('auth/'.length, -1).replaceAll('/', '-');
  return login.displayName === '' ? mount : `${mount}-${login.displayName}`;
}

const policiesOf = ({ policies, noDefaultPolicy }: TokenTerms): readonly string[] =>
  noDefaultPolicy ? policies : [...new Set([...policies, 'default'])].sort();

/** The mount's own word holds where it is plain; else the terms', and where these say nothing the mount's default. */
function typeOf({ type, period, numUses, explicitMaxTtl }: TokenTerms, { tokenType }: Mount): Grant['type'] {
  const plain = tokenType === 'service' || tokenType === 'batch' ? tokenType : undefined;
  const chosen = plain ?? (type === 'default' ? (tokenType === 'default-batch' ? 'batch' : 'service') : type);
  if (chosen === 'service') return 'service';
  for (const [field, given] of [
    ['token_period', period],
    ['token_num_uses', numUses],
    ['token_explicit_max_ttl', explicitMaxTtl],
  ] as const) {
    if (given > 0) throw badRequest(`${field}: a batch token has none, and this mount or role gives batch tokens`);
  }
  return 'batch';
}
