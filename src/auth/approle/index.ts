import type { Engine, Variant } from '../../framework/engine.ts';
import { renewedTerms } from './role.ts';
import * as login from './routes/login.ts';
import * as bindSecretId from './routes/role/bind-secret-id.ts';
import * as boundCidrList from './routes/role/bound-cidr-list.ts';
import * as customSecretId from './routes/role/custom-secret-id.ts';
import * as localSecretIds from './routes/role/local-secret-ids.ts';
import * as period from './routes/role/period.ts';
import * as policies from './routes/role/policies.ts';
import * as roleId from './routes/role/role-id.ts';
import * as destroy from './routes/role/secret-id/destroy.ts';
import * as lookup from './routes/role/secret-id/lookup.ts';
import * as secretId from './routes/role/secret-id.ts';
import * as destroyByAccessor from './routes/role/secret-id-accessor/destroy.ts';
import * as lookupByAccessor from './routes/role/secret-id-accessor/lookup.ts';
import * as secretIdBoundCidrs from './routes/role/secret-id-bound-cidrs.ts';
import * as secretIdNumUses from './routes/role/secret-id-num-uses.ts';
import * as secretIdTtl from './routes/role/secret-id-ttl.ts';
import * as tokenBoundCidrs from './routes/role/token-bound-cidrs.ts';
import * as tokenMaxTtl from './routes/role/token-max-ttl.ts';
import * as tokenNumUses from './routes/role/token-num-uses.ts';
import * as tokenTtl from './routes/role/token-ttl.ts';
import * as role from './routes/role.ts';
import * as tidy from './routes/tidy/secret-id.ts';

const secretIds = [secretId, customSecretId, lookup, destroy, lookupByAccessor, destroyByAccessor, tidy];
const ofSecretIds = [bindSecretId, boundCidrList, localSecretIds, secretIdBoundCidrs, secretIdNumUses, secretIdTtl];
const ofTokens = [period, policies, tokenBoundCidrs, tokenMaxTtl, tokenNumUses, tokenTtl];

const only: Variant = {
  endpoints: [login, role, roleId, ...secretIds, ...ofSecretIds, ...ofTokens].flatMap((route) => Object.values(route)),
  renewLogin: (renewal, { store }) => renewedTerms(store, renewal),
};

/** Roles for machines, which log in by the role's id and a secret id of theirs (4-open-points, Tokens). */
export const approle: Engine = {
  type: 'approle',
  kind: 'auth',
  summary: 'Roles for machines, by two ids that reach them on different ways',
  variant: () => only,
};
