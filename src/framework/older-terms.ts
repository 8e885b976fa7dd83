import type { Data } from './answer.ts';
import type { Values } from './endpoint.ts';
import { older } from './kinds/index.ts';
import { type TokenTerms, termsView, tokenParams } from './token-terms.ts';

/** Names that parameters of roles and users had before they began with `token_`. */
const PRESENT = {
  policies: 'token_policies',
  ttl: 'token_ttl',
  max_ttl: 'token_max_ttl',
  period: 'token_period',
  bound_cidrs: 'token_bound_cidrs',
} as const;

export type OlderName = keyof typeof PRESENT;

/** The parameters under their older names, which stock clients still send. */
export const olderParams = {
  policies: older('token_policies', tokenParams.token_policies),
  ttl: older('token_ttl', tokenParams.token_ttl),
  max_ttl: older('token_max_ttl', tokenParams.token_max_ttl),
  period: older('token_period', tokenParams.token_period),
  bound_cidrs: older('token_bound_cidrs', tokenParams.token_bound_cidrs),
} as const;

type Given = Values<typeof tokenParams>;
type Older = Partial<Values<typeof olderParams>>;

/** What was given under either name; where both were, the present one counts. */
export const joinOlder = (given: Given, older: Older): Given => ({
  ...given,
  token_policies: given.token_policies ?? older.policies,
  token_ttl: given.token_ttl ?? older.ttl,
  token_max_ttl: given.token_max_ttl ?? older.max_ttl,
  token_period: given.token_period ?? older.period,
  token_bound_cidrs: given.token_bound_cidrs ?? older.bound_cidrs,
});

const NAMES: readonly OlderName[] = ['policies', 'ttl', 'max_ttl', 'period', 'bound_cidrs'];

/** The older names that are shown from now on: those that were used the last time their parameter was given. */
export const olderShown = (shown: readonly OlderName[], given: Given, older: Older): readonly OlderName[] =>
  NAMES.filter((name) => older[name] !== undefined || (given[PRESENT[name]] === undefined && shown.includes(name)));

/** Members under older names, for who used them; what is not set is left out, as in the family. */
export function olderView(shown: readonly OlderName[], terms: TokenTerms): Data {
  const view = termsView(terms);
  const members = shown.map((name) => [name, view[PRESENT[name]]] as const);
  return Object.fromEntries(
    members.filter(([, value]) => value !== 0 && !(Array.isArray(value) && value.length === 0)),
  );
}
