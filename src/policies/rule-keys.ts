import { CAPABILITIES, type Capability, isCapability, mergeCapabilities, POLICY_WORDS } from './capability.ts';
import type { RuleConstraints } from './constraints.ts';
import { readExpiration, readFilter, readLists, readNames, readPageSize, readTtl, string } from './key-values.ts';
import { type Member, refused, type Value } from './syntax.ts';

/** What one rule says, its path apart. */
export interface RuleBody {
  readonly capabilities: ReadonlySet<Capability>;
  readonly comment?: string;
  /** Milliseconds since 1970: from then on the rule counts for nothing. */
  readonly expires?: number;
  readonly constraints?: RuleConstraints;
  /** Keys that were taken and have no effect. */
  readonly ignored?: readonly string[];
}

/** A key may repeat what another says (`policy` beside `capabilities`): the two are merged as for one path. */
type KeyReader = (value: Value, body: RuleBody) => RuleBody;

const capability = (value: Value): Capability => {
  const word = string('each item of capabilities', value);
  if (isCapability(word)) return word;
  throw refused(value.line, `a capability is not known; known are ${CAPABILITIES.join(', ')}`);
};

const readCapabilities: KeyReader = (value, body) => {
  if (value.kind !== 'list') throw refused(value.line, 'capabilities must be a list of strings, as ["read", "list"]');
  return { ...body, capabilities: mergeCapabilities(body.capabilities, value.items.map(capability)) };
};

const readPolicyWord: KeyReader = (value, body) => {
  const granted = POLICY_WORDS.get(string('policy', value));
  if (granted === undefined) throw refused(value.line, 'policy must be "read", "write", "sudo" or "deny"');
  return { ...body, capabilities: mergeCapabilities(body.capabilities, granted) };
};

const readComment: KeyReader = (value, body) => ({ ...body, comment: string('comment', value) });

/** A key that narrows what the rule grants. */
const narrowing =
  (read: (value: Value) => RuleConstraints): KeyReader =>
  (value, body) => ({ ...body, constraints: { ...body.constraints, ...read(value) } });

/** A key of the family that grants and narrows nothing here: taken, so that its policies can be kept, and told of. */
const ignored =
  (key: string): KeyReader =>
  (_value, body) => ({ ...body, ignored: [...(body.ignored ?? []), key] });

/** Every key of a rule (4-open-points, Tokens and policies), one row each. */
const RULE_KEYS: ReadonlyMap<string, KeyReader> = new Map<string, KeyReader>([
  ['capabilities', readCapabilities],
  ['policy', readPolicyWord],
  ['comment', readComment],
  ['expiration', (value, body) => ({ ...body, ...readExpiration(value) })],
  ['allowed_parameters', narrowing((value) => ({ allowed: readLists('allowed_parameters', value) }))],
  ['denied_parameters', narrowing((value) => ({ denied: readLists('denied_parameters', value) }))],
  ['required_parameters', narrowing((value) => ({ required: readNames('required_parameters', value) }))],
  ['min_wrapping_ttl', narrowing((value) => optional('minWrappingTtl', readTtl('min_wrapping_ttl', value)))],
  ['max_wrapping_ttl', narrowing((value) => optional('maxWrappingTtl', readTtl('max_wrapping_ttl', value)))],
  ['pagination_limit', narrowing((value) => optional('paginationLimit', readPageSize(value)))],
  ['list_scan_response_keys_filter_path', narrowing((value) => ({ keyFilter: readFilter(value) }))],
  ['mfa_methods', ignored('mfa_methods')],
]);

/** In bounds and sizes 0 is none, as in the family. */
const optional = (name: keyof RuleConstraints, number: number): RuleConstraints =>
  number === 0 ? {} : { [name]: number };

/** Reads the keys between the braces of one rule; an unknown key, or one given twice (A10), is 400. */
export function readRuleBody(members: readonly Member[], line: number): RuleBody {
  const seen = new Set<string>();
  let body: RuleBody = { capabilities: new Set() };
  for (const { name, label, value, line } of members) {
    const read = RULE_KEYS.get(name);
    if (read === undefined || label !== undefined) {
      throw refused(line, `a rule key is not known; known are ${[...RULE_KEYS.keys()].join(', ')}`);
    }
    if (seen.has(name)) throw refused(line, `${name} is given twice in one rule; give it once`);
    seen.add(name);
    body = read(value, body);
  }
  checkTogether(body, line);
  return body;
}

function checkTogether({ capabilities, constraints = {} }: RuleBody, line: number): void {
  const { minWrappingTtl: min, maxWrappingTtl: max, keyFilter } = constraints;
  if (min !== undefined && max !== undefined && max < min) {
    throw refused(line, 'max_wrapping_ttl must not be less than min_wrapping_ttl');
  }
  const lists = ['list', 'scan', 'deny'] as const;
  if (keyFilter !== undefined && !lists.some((one) => capabilities.has(one))) {
    throw refused(line, 'list_scan_response_keys_filter_path needs the capability list or scan in its rule');
  }
}
