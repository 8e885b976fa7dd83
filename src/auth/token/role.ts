import type { SealedTransaction } from '../../barrier/index.ts';
import type { Data } from '../../framework/answer.ts';
import { cidrList } from '../../framework/cidr.ts';
import type { Values } from '../../framework/endpoint.ts';
import { badRequest } from '../../framework/errors.ts';
import { foldCase } from '../../framework/fold-case.ts';
import {
  bool,
  describe,
  enumOf,
  int,
  type Kind,
  older,
  optional,
  type Schema,
  stringList,
} from '../../framework/kinds/index.ts';
import { decodeRecord, encodeRecord } from '../../framework/record.ts';
import { grantedPolicies, seconds } from '../../framework/token-terms.ts';
import { policyName, ROOT_POLICY } from '../../policies/index.ts';

/** What tokens are that are made by a role (4-open-points, Tokens). Seconds; lists sorted. */
export interface TokenRole {
  readonly name: string;
  readonly allowedPolicies: readonly string[];
  readonly disallowedPolicies: readonly string[];
  readonly allowedPoliciesGlob: readonly string[];
  readonly disallowedPoliciesGlob: readonly string[];
  readonly orphan: boolean;
  readonly renewable: boolean;
  readonly pathSuffix: string;
  /** In lower case; `*` at an end stands for anything. */
  readonly allowedEntityAliases: readonly string[];
  readonly boundCidrs: readonly string[];
  readonly explicitMaxTtl: number;
  readonly period: number;
  readonly noDefaultPolicy: boolean;
  readonly numUses: number;
  readonly type: 'service' | 'batch' | 'default-service' | 'default-batch';
}

const fresh = (name: string): TokenRole => ({
  name,
  allowedPolicies: [],
  disallowedPolicies: [],
  allowedPoliciesGlob: [],
  disallowedPoliciesGlob: [],
  orphan: false,
  renewable: true,
  pathSuffix: '',
  allowedEntityAliases: [],
  boundCidrs: [],
  explicitMaxTtl: 0,
  period: 0,
  noDefaultPolicy: false,
  numUses: 0,
  type: 'default-service',
});

/** Elements of one list of a role. */
const MAX_ELEMENTS = 256;
const MAX_PATTERN_LENGTH = 512;

/** A bounded list, each element in its one form, sorted and once. */
const elements = (form: (element: string, field: string) => string): Kind<readonly string[]> => {
  const kind = stringList([]);
  return {
    ...kind,
    parse(field, value) {
      const given = kind.parse(field, value).filter((element) => element !== '');
      if (given.length > MAX_ELEMENTS) throw badRequest(`${field}: must have at most ${MAX_ELEMENTS} elements`);
      return [...new Set(given.map((element) => form(element, field)))].sort();
    },
  };
};

/** A pattern: in lower case, as what it is held against. 400 for one that would match nothing that it seems to. */
function pattern(given: string, field: string): string {
  if (given.length > MAX_PATTERN_LENGTH) {
    throw badRequest(`${field}: each element has at most ${MAX_PATTERN_LENGTH} characters`);
  }
  if (given.slice(1, -1).includes('*'))
    throw badRequest(`${field}: * may stand at either end of an element, and nowhere else`);
  return foldCase(given);
}

/** The same for what may be given: `root` is not, by whatever role (known-attacks B1). */
function grantablePattern(given: string, field: string): string {
  const text = pattern(given, field);
  if (text === ROOT_POLICY) throw badRequest(`${field}: "${ROOT_POLICY}" cannot be given this way`);
  return text;
}

const policies = optional(elements(policyName));
const grantable = optional(grantedPolicies);
const patterns = optional(elements(pattern));
const grantablePatterns = optional(elements(grantablePattern));

/** The parameters of a role; undefined where nothing was given: a write changes what it names. */
export const roleParams = {
  allowed_policies: describe(grantable, 'policies that may be asked for; all of them where none is'),
  disallowed_policies: describe(policies, 'policies that may not be asked for'),
  allowed_policies_glob: describe(grantablePatterns, 'the same by patterns with * at either end'),
  disallowed_policies_glob: describe(patterns, 'the same by patterns with * at either end'),
  orphan: describe(optional(bool()), 'the tokens have no parent'),
  renewable: describe(optional(bool()), 'whether they can be renewed'),
  path_suffix: describe(optional(pathSuffix()), 'follows on the name in the path of the tokens; 3 characters or more'),
  allowed_entity_aliases: describe(patterns, 'aliases that the tokens may be made for; * at either end'),
  token_bound_cidrs: describe(optional(cidrList()), 'addresses that may use the tokens; empty for all'),
  token_explicit_max_ttl: describe(optional(seconds), 'an end that no renewal moves; 0 for none'),
  token_period: describe(optional(seconds), 'each renewal gives them this long; 0 for none'),
  token_no_default_policy: describe(optional(bool()), 'leave the policy "default" out'),
  token_num_uses: describe(optional(int(undefined, { min: 0 })), 'uses of each token; 0 for unlimited'),
  token_type: describe(
    optional(enumOf(['service', 'batch', 'default-service', 'default-batch'])),
    'service and batch hold whatever is asked for; the others where nothing is',
  ),
  bound_cidrs: older('token_bound_cidrs', optional(cidrList())),
  explicit_max_ttl: older('token_explicit_max_ttl', optional(seconds)),
  period: older('token_period', optional(seconds)),
};

/** It becomes one part of a path (4-open-points, Tokens). */
function pathSuffix(): Kind<string> {
  return {
    schema: { type: 'string' },
    required: false,
    parse(field, value) {
      const text = elementsText(field, value);
      if (text !== '' && (!/^\w[\w.-]{1,126}\w$/.test(text) || text.includes('..'))) {
        throw badRequest(
          `${field}: must have 3 to 128 letters, digits, - . and _, none of - and . at an end, and no ..`,
        );
      }
      return text;
    },
  };
}

const elementsText = (field: string, value: Parameters<Kind<string>['parse']>[1]): string => {
  const given = stringList([]).parse(field, value);
  if (given.length > 1) throw badRequest(`${field}: must be one text`);
  return given[0] ?? '';
};

/** The role with what was given in its place. 400 for what does not go together. */
export function changeRole(role: TokenRole, given: Omit<Values<typeof roleParams>, 'role_name'>): TokenRole {
  const changed: TokenRole = {
    name: role.name,
    allowedPolicies: given.allowed_policies ?? role.allowedPolicies,
    disallowedPolicies: given.disallowed_policies ?? role.disallowedPolicies,
    allowedPoliciesGlob: given.allowed_policies_glob ?? role.allowedPoliciesGlob,
    disallowedPoliciesGlob: given.disallowed_policies_glob ?? role.disallowedPoliciesGlob,
    orphan: given.orphan ?? role.orphan,
    renewable: given.renewable ?? role.renewable,
    pathSuffix: given.path_suffix ?? role.pathSuffix,
    allowedEntityAliases: given.allowed_entity_aliases ?? role.allowedEntityAliases,
    boundCidrs: given.token_bound_cidrs ?? given.bound_cidrs ?? role.boundCidrs,
    explicitMaxTtl: given.token_explicit_max_ttl ?? given.explicit_max_ttl ?? role.explicitMaxTtl,
    period: given.token_period ?? given.period ?? role.period,
    noDefaultPolicy: given.token_no_default_policy ?? role.noDefaultPolicy,
    numUses: given.token_num_uses ?? role.numUses,
    type: given.token_type ?? role.type,
  };
  if (changed.type === 'batch') refuseUnlikeBatch(changed);
  return changed;
}

/** A batch token cannot be ended, renewed or counted, so neither may its role ask for that. */
function refuseUnlikeBatch({ orphan, renewable, period, explicitMaxTtl, numUses }: TokenRole): void {
  for (const [field, wrong, right] of [
    ['orphan', !orphan, 'must be true'],
    ['renewable', renewable, 'must be false'],
    ['token_period', period > 0, 'must not be set'],
    ['token_explicit_max_ttl', explicitMaxTtl > 0, 'must not be set'],
    ['token_num_uses', numUses > 0, 'must not be set'],
  ] as const) {
    if (wrong) throw badRequest(`${field}: ${right} where token_type is "batch"`);
  }
}

const texts: Schema = { type: 'array', items: { type: 'string' } };

/** The members that show a role. */
export const ROLE_SCHEMA: Readonly<Record<string, Schema>> = {
  name: { type: 'string' },
  allowed_policies: texts,
  disallowed_policies: texts,
  allowed_policies_glob: texts,
  disallowed_policies_glob: texts,
  orphan: { type: 'boolean' },
  renewable: { type: 'boolean' },
  path_suffix: { type: 'string' },
  allowed_entity_aliases: texts,
  token_bound_cidrs: texts,
  token_explicit_max_ttl: { type: 'integer' },
  token_period: { type: 'integer' },
  token_no_default_policy: { type: 'boolean' },
  token_num_uses: { type: 'integer' },
  token_type: { type: 'string' },
  explicit_max_ttl: { type: 'integer' },
  period: { type: 'integer' },
};

export const roleView = (role: TokenRole): Data => ({
  name: role.name,
  allowed_policies: role.allowedPolicies,
  disallowed_policies: role.disallowedPolicies,
  allowed_policies_glob: role.allowedPoliciesGlob,
  disallowed_policies_glob: role.disallowedPoliciesGlob,
  orphan: role.orphan,
  renewable: role.renewable,
  path_suffix: role.pathSuffix,
  allowed_entity_aliases: role.allowedEntityAliases,
  token_bound_cidrs: role.boundCidrs,
  token_explicit_max_ttl: role.explicitMaxTtl,
  token_period: role.period,
  token_no_default_policy: role.noDefaultPolicy,
  token_num_uses: role.numUses,
  token_type: role.type,
  explicit_max_ttl: role.explicitMaxTtl,
  period: role.period,
});

/** Folder of the token roles. */
export const ROLES = 'token-role/';

/** A role by its name, which is case-sensitive; undefined where there is none. */
export async function findRole(tx: Pick<SealedTransaction, 'get'>, name: string): Promise<TokenRole | undefined> {
  const record = NAME.test(name) ? await tx.get(ROLES + name) : undefined;
  return record && decodeRecord<TokenRole>(record);
}

const NAME = /^\w(?:[\w.-]{0,254}\w)?$/;

/** Stores a role. 400 for a name that is none. */
export async function writeRole(
  tx: SealedTransaction,
  name: string,
  given: Omit<Values<typeof roleParams>, 'role_name'>,
): Promise<void> {
  if (!NAME.test(name)) {
    throw badRequest('role_name: must have 1 to 256 letters, digits, - . and _, and neither begin nor end in - or .');
  }
  const role = changeRole((await findRole(tx, name)) ?? fresh(name), given);
  tx.put(ROLES + name, encodeRecord(role));
}
