import type { Grant } from '../../framework/answer.ts';
import { badRequest } from '../../framework/errors.ts';
import { lifetime } from '../../tokens/lifetime.ts';
import { type PolicyTerms, type PolicyWish, policiesOf } from './policies.ts';
import type { TokenRole } from './role.ts';

/** What is asked of a new token, as parsed; lifetimes in seconds. */
export interface Wish extends PolicyWish {
  readonly type: 'service' | 'batch' | '';
  readonly displayName: string;
  readonly metadata: ReadonlyMap<string, string>;
  readonly ttl: number;
  readonly explicitMaxTtl: number;
  readonly period: number;
  readonly renewable: boolean;
  readonly numUses: number;
  readonly orphan: boolean;
  readonly id: string | undefined;
}

/** What decides what may be had: the parent, the role, and the limits of the mount in seconds. */
export interface Terms extends PolicyTerms {
  /** Whether the parent can expire. */
  readonly mortal: boolean;
  /** Of the parent; empty for all. */
  readonly boundCidrs: readonly string[];
  readonly defaultTtl: number;
  readonly maxTtl: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The grant that a wish comes to under the terms, with what the caller should know of it. 400 where it may not be. */
export function grantOf(
  wish: Wish,
  terms: Terms,
  path: string,
): { readonly grant: Grant; readonly warnings: readonly string[] } {
  const { role } = terms;
  const type = typeOf(wish, role);
  const policies = policiesOf(wish, terms);
  if (type === 'batch') refuseUnlikeBatch(wish, role, policies);
  const { ttl, explicitMaxTtl, period, warnings } = lifetimeOf(wish, terms, policies.includes('root'));
  const orphan = role === undefined ? wish.orphan : role.orphan;
  const grant: Grant = {
    type,
    policies,
    displayName: displayName(wish.displayName),
    path,
    metadata: wish.metadata,
    ttl,
    explicitMaxTtl,
    period,
    renewable: type === 'service' && wish.renewable && role?.renewable !== false && ttl > 0,
    numUses: fewer(wish.numUses, role?.numUses ?? 0),
    orphan,
    // A root token that never ends is bound to no address: it is the way back in.
    boundCidrs: ttl === 0 ? [] : (role?.boundCidrs ?? (orphan ? [] : terms.boundCidrs)),
    ...(role === undefined ? {} : { role: role.name }),
    id: wish.id,
  };
  return { grant, warnings };
}

function typeOf({ type }: Wish, role: TokenRole | undefined): Grant['type'] {
  if (role?.type === 'service' || role?.type === 'batch') return role.type;
  if (type !== '') return type;
  return role?.type === 'default-batch' ? 'batch' : 'service';
}

/**
 * What of a batch token could be neither kept nor counted (4-open-points, Tokens). Nor does who asks for one get out of what
 * the token role says.
 */
function refuseUnlikeBatch(wish: Wish, role: TokenRole | undefined, policies: readonly string[]): void {
  for (const [field, given] of [
    ['explicit_max_ttl', wish.explicitMaxTtl > 0],
    ['num_uses', wish.numUses > 0],
    ['period', wish.period > 0],
    ['id', wish.id !== undefined],
  ] as const) {
    if (given) throw badRequest(`${field}: a batch token has none: leave it out or use type "service"`);
  }
  for (const [field, given] of [
    ['token_explicit_max_ttl', role?.explicitMaxTtl],
    ['token_num_uses', role?.numUses],
    ['token_period', role?.period],
  ] as const) {
    if (given) throw badRequest(`type: the token role sets ${field}, which a batch token has not: use "service"`);
  }
  if (policies.includes('root')) throw badRequest('policies: a batch token cannot be root, as nothing could revoke it');
}

/** The smaller number of uses, where 0 is no limit. */
const fewer = (one: number, other: number): number => (one === 0 || other === 0 ? one + other : Math.min(one, other));

function lifetimeOf(
  wish: Wish,
  terms: Terms,
  root: boolean,
): Pick<Grant, 'ttl' | 'explicitMaxTtl' | 'period'> & { readonly warnings: readonly string[] } {
  const warnings: string[] = [];
  const { role } = terms;
  const cut = (field: string, value: number): number => {
    if (value <= terms.maxTtl) return value;
    warnings.push(`${field}: ${value} s is more than the maximum of ${terms.maxTtl} s, which holds instead`);
    return terms.maxTtl;
  };
  const lesser = (field: string, own: number, ofRole: number): number => {
    if (own > 0 && ofRole > 0) warnings.push(`${field}: the token role has one too: the smaller one holds`);
    return cut(field, fewer(own, ofRole));
  };
  const explicitMaxTtl = lesser('explicit_max_ttl', wish.explicitMaxTtl, role?.explicitMaxTtl ?? 0);
  const period = lesser('period', wish.period, role?.period ?? 0);
  // A root token lives for ever where nothing is said, unless its parent does not.
  if (root && wish.ttl === 0 && period === 0 && explicitMaxTtl === 0) {
    if (terms.mortal) throw badRequest('ttl: an expiring root token creates only root tokens that expire: give a ttl');
    return { ttl: 0, explicitMaxTtl, period, warnings };
  }
  // One that has an end lives until then, and not for the mount's default.
  const unsaid = root ? explicitMaxTtl : 0;
  const asked = { field: 'ttl', ttl: wish.ttl || unsaid, period, maxTtl: 0, explicitMaxTtl, issued: terms.now };
  const { ttl, warnings: more } = lifetime(asked, terms, terms.now);
  return { ttl, explicitMaxTtl, period, warnings: [...warnings, ...more] };
}

/** Letters, digits and dashes behind `token-`, as the family shows it. */
function displayName(given: string): string {
  const name = `token-${given.replace(/[^a-zA-Z0-9-]/g, '-')}`;
  return name.endsWith('-') ? name.slice(0, -1) : name;
}
