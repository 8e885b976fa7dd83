import { badRequest } from '../../framework/errors.ts';
import { items, stringValue } from '../../framework/json/index.ts';
import type { Kind } from '../../framework/kinds/index.ts';
import { WRAPPING_POLICY } from '../../framework/policy-name.ts';
import { globOf, policyName } from '../../policies/index.ts';
import type { TokenRole } from './role.ts';

const MAX_POLICIES = 256;

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

/** What is asked of a token's policies. */
export interface PolicyWish {
  /** None at all means those of the parent, or all that the role allows. */
  readonly policies: readonly string[];
  readonly noDefaultPolicy: boolean;
}

/** What decides which policies may be had. */
export interface PolicyTerms {
  /** Of the calling token. */
  readonly policies: readonly string[];
  readonly sudo: boolean;
  readonly role: TokenRole | undefined;
}

/** The policies of a new token, sorted. 400 for one that may not be had: `root` from `root` alone (known-attacks B1). */
export function policiesOf(asked: PolicyWish, terms: PolicyTerms): readonly string[] {
  const { role } = terms;
  const wish = { ...asked, policies: asked.policies.map(policyName) };
  const bounded = role !== undefined && boundsPolicies(role);
  const names = new Set(bounded ? fromRole(wish, terms, role) : fromParent(wish, terms));
  if (wish.noDefaultPolicy || role?.noDefaultPolicy === true) names.delete('default');
  if (names.has(WRAPPING_POLICY)) throw badRequest(`policies: "${WRAPPING_POLICY}" is given by the server alone`);
  if (!names.has('root')) return [...names].sort();
  if (!terms.policies.includes('root')) throw badRequest('policies: only a root token can create a root token');
  return ['root'];
}

/** Without policies those of the parent; without `sudo` no others than the parent's. */
function fromParent({ policies, noDefaultPolicy }: PolicyWish, terms: PolicyTerms): readonly string[] {
  if (policies.length === 0) return terms.policies;
  const fromRoot = terms.policies.includes('root');
  if (terms.sudo || fromRoot) return noDefaultPolicy ? policies : [...policies, 'default'];
  if (policies.some((name) => !terms.policies.includes(name))) {
    throw badRequest('policies: must be among the policies of the calling token, which lacks sudo here');
  }
  return terms.policies.includes('default') && !noDefaultPolicy ? [...policies, 'default'] : policies;
}

const boundsPolicies = (role: TokenRole): boolean =>
  [role.allowedPolicies, role.disallowedPolicies, role.allowedPoliciesGlob, role.disallowedPoliciesGlob].some(
    (list) => list.length > 0,
  );

/** A role that says which policies there may be gives others than the parent's: that is what it is for. */
function fromRole({ policies, noDefaultPolicy }: PolicyWish, terms: PolicyTerms, role: TokenRole): readonly string[] {
  const isBarred = oneOf(role.disallowedPolicies, role.disallowedPoliciesGlob);
  const plain = noDefaultPolicy || role.noDefaultPolicy || isBarred('default');
  const withDefault = (names: readonly string[]): readonly string[] => (plain ? names : [...names, 'default']);
  const limited = role.allowedPolicies.length > 0 || role.allowedPoliciesGlob.length > 0;
  const asked = policies.length > 0 ? policies : limited ? role.allowedPolicies : terms.policies;
  const wanted = withDefault(asked);
  if (limited) {
    const isAllowed = oneOf(withDefault(role.allowedPolicies), role.allowedPoliciesGlob);
    if (!wanted.every(isAllowed)) throw badRequest('policies: must be among those that the token role allows');
  }
  if (wanted.some(isBarred)) throw badRequest('policies: one of them is not allowed by the token role');
  return wanted;
}

/** Whether a text is one of some, or matches one of the patterns with `*` at an end. */
export function oneOf(texts: readonly string[], patterns: readonly string[]): (text: string) => boolean {
  const globs = patterns.map((pattern) => (pattern === '*' ? () => true : globOf(pattern)));
  return (text) => texts.includes(text) || patterns.includes(text) || globs.some((matches) => matches?.(text) === true);
}
