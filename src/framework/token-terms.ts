import type { Data } from './answer.ts';
import { cidrList } from './cidr.ts';
import type { Values } from './endpoint.ts';
import { badRequest } from './errors.ts';
import { bool, describe, duration, enumOf, int, type Kind, optional, type Schema, stringList } from './kinds/index.ts';
import { policyName, ROOT_POLICY, WRAPPING_POLICY } from './policy-name.ts';

/** What a role or user of an auth method says of the tokens that its logins give (document 1, "Role parameters"). Seconds. */
export interface TokenTerms {
  /** Sorted, each in its one form; never `root`. */
  readonly policies: readonly string[];
  readonly noDefaultPolicy: boolean;
  /** 0: the mount's default. */
  readonly ttl: number;
  /** 0: the mount's maximum. */
  readonly maxTtl: number;
  /** 0: none. */
  readonly explicitMaxTtl: number;
  /** 0: none. */
  readonly period: number;
  /** 0: unlimited. */
  readonly numUses: number;
  /** As `cidrList` gives them; empty: any address. */
  readonly boundCidrs: readonly string[];
  /** Bound to the address of the login. */
  readonly strictlyBindIp: boolean;
  /** `default`: as the mount says. */
  readonly type: 'default' | 'service' | 'batch';
}

export const NO_TERMS: TokenTerms = {
  policies: [],
  noDefaultPolicy: false,
  ttl: 0,
  maxTtl: 0,
  explicitMaxTtl: 0,
  period: 0,
  numUses: 0,
  boundCidrs: [],
  strictlyBindIp: false,
  type: 'default',
};

/** Policies of one role or user. */
const MAX_POLICIES = 256;

/** Names of policies for what is stored and given to others later: `root`, and what the server alone gives, are refused in every spelling (known-attacks B1). */
export const grantedPolicies: Kind<readonly string[]> = {
  ...stringList(),
  required: false,
  parse(field, value) {
    const given = stringList([]).parse(field, value);
    const names = new Set(given.filter((name) => name !== '').map(policyName));
    for (const reserved of [ROOT_POLICY, WRAPPING_POLICY]) {
      if (names.has(reserved)) throw badRequest(`${field}: "${reserved}" cannot be given this way`);
    }
    if (names.size > MAX_POLICIES) throw badRequest(`${field}: must have at most ${MAX_POLICIES} names`);
    return [...names].sort();
  },
};

/** Whole seconds of a duration that is not negative; a part of a second counts as one. */
export const seconds: Kind<number> = {
  ...duration(0),
  parse(field, value) {
    const millis = duration(0).parse(field, value);
    if (millis < 0) throw badRequest(`${field}: must not be negative`);
    return Math.ceil(millis / 1_000);
  },
};

/** The `token_` parameters of a role or user; undefined where nothing was given, so that a write changes what it names. */
export const tokenParams = {
  token_policies: describe(optional(grantedPolicies), 'policies of the tokens'),
  token_no_default_policy: describe(optional(bool()), 'leave the policy "default" out'),
  token_ttl: describe(optional(seconds), 'lifetime of the tokens; 0 for that of the mount'),
  token_max_ttl: describe(optional(seconds), 'how long they live at most, with all renewals; 0 for that of the mount'),
  token_explicit_max_ttl: describe(optional(seconds), 'an end that no renewal and no period moves; 0 for none'),
  token_period: describe(optional(seconds), 'periodic tokens: each renewal gives them this long; 0 for none'),
  token_num_uses: describe(optional(int(undefined, { min: 0 })), 'uses of each token; 0 for unlimited'),
  token_bound_cidrs: describe(optional(cidrList()), 'addresses that may log in and use the token; empty for all'),
  token_strictly_bind_ip: describe(optional(bool()), 'bind the token to the address of its login'),
  token_type: describe(
    optional(enumOf(['', 'default', 'service', 'batch'])),
    'service, batch, or default for what the mount says',
  ),
} as const;

/** What a write gives that names none of them. */
export const NOT_GIVEN: Values<typeof tokenParams> = {
  token_policies: undefined,
  token_no_default_policy: undefined,
  token_ttl: undefined,
  token_max_ttl: undefined,
  token_explicit_max_ttl: undefined,
  token_period: undefined,
  token_num_uses: undefined,
  token_bound_cidrs: undefined,
  token_strictly_bind_ip: undefined,
  token_type: undefined,
};

/** The terms with what was given in its place. 400 for what does not go together (document 1, "Errors" 3). */
export function changeTerms(terms: TokenTerms, given: Values<typeof tokenParams>): TokenTerms {
  const type = given.token_type === '' ? 'default' : given.token_type;
  const changed: TokenTerms = {
    policies: given.token_policies ?? terms.policies,
    noDefaultPolicy: given.token_no_default_policy ?? terms.noDefaultPolicy,
    ttl: given.token_ttl ?? terms.ttl,
    maxTtl: given.token_max_ttl ?? terms.maxTtl,
    explicitMaxTtl: given.token_explicit_max_ttl ?? terms.explicitMaxTtl,
    period: given.token_period ?? terms.period,
    numUses: given.token_num_uses ?? terms.numUses,
    boundCidrs: given.token_bound_cidrs ?? terms.boundCidrs,
    strictlyBindIp: given.token_strictly_bind_ip ?? terms.strictlyBindIp,
    type: type ?? terms.type,
  };
  const { ttl, maxTtl, period, numUses, boundCidrs, strictlyBindIp } = changed;
  if (maxTtl > 0 && ttl > maxTtl) throw badRequest('token_ttl: must not be longer than token_max_ttl');
  if (changed.type === 'batch' && period > 0) throw badRequest('token_period: batch tokens are not periodic');
  if (changed.type === 'batch' && numUses > 0) throw badRequest('token_num_uses: uses of batch tokens are not counted');
  if (strictlyBindIp && boundCidrs.length > 0) {
    throw badRequest('token_strictly_bind_ip, token_bound_cidrs: only one of the two can be set');
  }
  return changed;
}

/** The members that show the terms. */
export const TERMS_SCHEMA: Readonly<Record<keyof typeof tokenParams, Schema>> = {
  token_policies: { type: 'array', items: { type: 'string' } },
  token_no_default_policy: { type: 'boolean' },
  token_ttl: { type: 'integer' },
  token_max_ttl: { type: 'integer' },
  token_explicit_max_ttl: { type: 'integer' },
  token_period: { type: 'integer' },
  token_num_uses: { type: 'integer' },
  token_bound_cidrs: { type: 'array', items: { type: 'string' } },
  token_strictly_bind_ip: { type: 'boolean' },
  token_type: { type: 'string' },
};

export const termsView = (terms: TokenTerms): Data => ({
  token_policies: terms.policies,
  token_no_default_policy: terms.noDefaultPolicy,
  token_ttl: terms.ttl,
  token_max_ttl: terms.maxTtl,
  token_explicit_max_ttl: terms.explicitMaxTtl,
  token_period: terms.period,
  token_num_uses: terms.numUses,
  token_bound_cidrs: terms.boundCidrs,
  token_strictly_bind_ip: terms.strictlyBindIp,
  token_type: terms.type,
});
