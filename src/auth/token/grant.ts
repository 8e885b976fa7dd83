import type { Grant } from '../../framework/answer.ts';
import { badRequest } from '../../framework/errors.ts';
import { items, stringValue } from '../../framework/json/index.ts';
import type { Kind } from '../../framework/kinds/index.ts';
import { policyName } from '../../policies/index.ts';
import { WRAPPING_POLICY } from '../../tokens/token.ts';

/** What is asked of a new token, as parsed; lifetimes in seconds. */
export interface Wish {
  /** As given; none at all means those of the parent. */
  readonly policies: readonly string[];
  readonly noDefaultPolicy: boolean;
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

/** What decides what may be had: the parent, and the limits of the mount in seconds. */
export interface Terms {
  readonly policies: readonly string[];
  /** Whether the parent can expire. */
  readonly mortal: boolean;
  readonly sudo: boolean;
  readonly defaultTtl: number;
  readonly maxTtl: number;
}

/** The grant that a wish comes to under the terms, with what the caller should know of it. 400 where it may not be. */
export function grantOf(wish: Wish, terms: Terms, path: string): { grant: Grant; warnings: readonly string[] } {
  const policies = policiesOf(wish, terms);
  const { ttl, explicitMaxTtl, period, warnings } = lifetimeOf(wish, terms, policies.includes('root'));
  const grant: Grant = {
    policies,
    displayName: displayName(wish.displayName),
    path,
    metadata: wish.metadata,
    ttl,
    explicitMaxTtl,
    period,
    renewable: wish.renewable && ttl > 0,
    numUses: wish.numUses,
    orphan: wish.orphan,
    id: wish.id,
  };
  return { grant, warnings };
}

/** Without policies those of the parent; without `sudo` no others than the parent's; `root` only from `root`. */
function policiesOf(wish: Wish, terms: Terms): readonly string[] {
  if (wish.policies.length === 0) return terms.policies;
  const names = new Set(wish.policies.map(policyName));
  const fromRoot = terms.policies.includes('root');
  if (names.has(WRAPPING_POLICY)) throw badRequest(`policies: "${WRAPPING_POLICY}" is given by the server alone`);
  if (names.has('root')) {
    if (!fromRoot) throw badRequest('policies: only a root token can create a root token');
    return ['root'];
  }
  if (!terms.sudo && !fromRoot) {
    const beyond = [...names].some((name) => name !== 'default' && !terms.policies.includes(name));
    if (beyond) throw badRequest('policies: must be among the policies of the calling token, which lacks sudo here');
  }
  const mayDefault = terms.sudo || fromRoot || terms.policies.includes('default');
  if (names.has('default') && !mayDefault) throw badRequest('policies: the calling token does not have "default"');
  if (!wish.noDefaultPolicy && mayDefault) names.add('default');
  return [...names].sort();
}

function lifetimeOf(
  wish: Wish,
  terms: Terms,
  root: boolean,
): Pick<Grant, 'ttl' | 'explicitMaxTtl' | 'period'> & { warnings: string[] } {
  const warnings: string[] = [];
  const cut = (name: string, value: number, limit: number, of: string): number => {
    if (value <= limit) return value;
    warnings.push(`${name}: ${value} s is more than ${of} of ${limit} s, which holds instead`);
    return limit;
  };
  const explicitMaxTtl = cut('explicit_max_ttl', wish.explicitMaxTtl, terms.maxTtl, 'the maximum');
  const period = cut('period', wish.period, terms.maxTtl, 'the maximum');
  // A root token lives for ever where nothing is said, unless its parent does not.
  if (root && wish.ttl === 0 && period === 0 && explicitMaxTtl === 0) {
    if (terms.mortal) throw badRequest('ttl: an expiring root token creates only root tokens that expire: give a ttl');
    return { ttl: 0, explicitMaxTtl, period, warnings };
  }
  let ttl = period > 0 ? period : cut('ttl', wish.ttl || terms.defaultTtl, terms.maxTtl, 'the maximum');
  if (explicitMaxTtl > 0) {
    ttl = wish.ttl > 0 ? cut('ttl', ttl, explicitMaxTtl, 'explicit_max_ttl') : Math.min(ttl, explicitMaxTtl);
  }
  return { ttl, explicitMaxTtl, period, warnings };
}

/** Letters, digits and dashes behind `token-`, as the family shows it. */
function displayName(given: string): string {
  const name = `token-${given.replace(/[^a-zA-Z0-9-]/g, '-')}`;
  return name.endsWith('-') ? name.slice(0, -1) : name;
}

/** The names in `policies`, each in its one form: a list, or one name; a comma is no separator here (4-open-points, Tokens). */
export const policyList: Kind<readonly string[]> = {
  schema: { type: 'array', items: { type: 'string' } },
  required: false,
  parse(field, value) {
    if (value === undefined || value.kind === 'null') return [];
    const elements = value.kind === 'array' ? items(value) : [value];
    if (elements.length > MAX_POLICIES) throw badRequest(`${field}: must have at most ${MAX_POLICIES} names`);
    const names = elements.map((element) => {
      if (element.kind !== 'string') throw badRequest(`${field}: must be a list of names`);
      return stringValue(element, field);
    });
    return names.filter((name) => name !== '').map(policyName);
  },
};

const MAX_POLICIES = 256;
