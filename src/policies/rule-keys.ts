import { CAPABILITIES, type Capability, isCapability, mergeCapabilities, POLICY_WORDS } from './capability.ts';
import { type Member, refused, type Value } from './syntax.ts';

/** What one rule says, its path apart. */
export interface RuleBody {
  readonly capabilities: ReadonlySet<Capability>;
  readonly comment?: string;
  /** Keys that were taken and have no effect. */
  readonly ignored?: readonly string[];
}

/** A key may repeat what another says (`policy` beside `capabilities`): the two are merged as for one path. */
type KeyReader = (value: Value, body: RuleBody) => RuleBody;

const string = (key: string, value: Value): string => {
  if (value.kind !== 'string') throw refused(value.line, `${key} must be a string in double quotes`);
  return value.text;
};

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

/** A key of the family that would narrow the rule: to take it and not obey it would grant more than was written. */
const unsupported =
  (key: string): KeyReader =>
  (value) => {
    throw refused(value.line, `the rule key ${key} is not supported by this version; remove it`);
  };

/** A key of the family that grants and narrows nothing here: taken, so that its policies can be kept, and told of. */
const ignored =
  (key: string): KeyReader =>
  (_value, body) => ({ ...body, ignored: [...(body.ignored ?? []), key] });

/** Every key of a rule (4-open-points, Tokens and policies), one row each. */
const RULE_KEYS: ReadonlyMap<string, KeyReader> = new Map<string, KeyReader>([
  ['capabilities', readCapabilities],
  ['policy', readPolicyWord],
  ['comment', readComment],
  ['mfa_methods', ignored('mfa_methods')],
  ...[
    'allowed_parameters',
    'denied_parameters',
    'required_parameters',
    'min_wrapping_ttl',
    'max_wrapping_ttl',
    'pagination_limit',
    'expiration',
    'list_scan_response_keys_filter_path',
  ].map((key): [string, KeyReader] => [key, unsupported(key)]),
]);

/** Reads the keys between the braces of one rule; an unknown key, or one given twice (A10), is 400. */
export function readRuleBody(members: readonly Member[]): RuleBody {
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
  return body;
}
