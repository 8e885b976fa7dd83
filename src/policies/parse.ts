import { badRequest } from '../framework/errors.ts';
import type { Capability } from './capability.ts';
import type { RuleConstraints } from './constraints.ts';
import { readHcl } from './hcl.ts';
import { readJson } from './json.ts';
import { MAX_POLICY_BYTES, MAX_RULES, MAX_SHAPES, MAX_TEMPLATED_RULES } from './limits.ts';
import { readRuleBody } from './rule-keys.ts';
import { pathPattern, rulePath } from './rule-path.ts';
import { Scanner } from './scanner.ts';
import { Shapes } from './shapes.ts';
import { type Member, refused, type Value } from './syntax.ts';
import { type PathTemplate, samplePath } from './template.ts';

/** One `path "…" { … }`: what is granted on the paths it matches. With `deny`, the set holds nothing else. */
export interface Rule {
  /** Without leading slash; `+` is one segment, `*` at the end anything. */
  readonly path: string;
  /** The path taken apart where it holds `{{…}}`. */
  readonly template?: PathTemplate;
  readonly capabilities: ReadonlySet<Capability>;
  readonly comment?: string;
  /** Milliseconds since 1970: from then on the rule counts for nothing. */
  readonly expires?: number;
  readonly constraints?: RuleConstraints;
  /** Keys of the rule that were taken and have no effect. */
  readonly ignored?: readonly string[];
}

/** A policy as written: rules in order; one path may stand in several, which the ACL merges. */
export interface Policy {
  readonly rules: readonly Rule[];
}

const tooLong = () => badRequest(`policy: the text is longer than ${MAX_POLICY_BYTES} bytes`);

/**
 * The text of a policy given plain or in standard base64 (line ends allowed). No policy with a rule is valid base64
 * itself, since quotes and braces are outside that alphabet. 400 when too long, or when the base64 holds no UTF-8.
 */
export function decodePolicyText(text: string): string {
  if (text.length > 2 * MAX_POLICY_BYTES) throw tooLong();
  const packed = text.replaceAll('\r', '').replaceAll('\n', '');
  const bytes = Buffer.from(packed, 'base64');
  if (packed === '' || bytes.toString('base64') !== packed) return text;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw badRequest('policy: neither HCL nor JSON, and as base64 it holds no UTF-8 text');
  }
}

/**
 * Reads a policy in HCL or JSON (4-open-points, Tokens and policies), with the limits of limits.ts. Throws 400 with the
 * line and what would be right; a rule key or a template that is not known is refused, not ignored.
 */
export function parsePolicy(text: string): Policy {
  if (text.length > MAX_POLICY_BYTES || Buffer.byteLength(text) > MAX_POLICY_BYTES) throw tooLong();
  if (text.trim() === '') throw badRequest('policy: the text is empty; give at least one path "…" { … } rule');
  const scanner = new Scanner(text);
  const rules: Rule[] = [];
  if (scanner.token.kind === '{') readJsonTop(readJson(text), rules);
  else readHclTop(readHcl(scanner), rules);
  checkCost(rules);
  return { rules };
}

/** What a look-up among the rules would cost in the worst case, and their templates for each identity. */
function checkCost(rules: readonly Rule[]): void {
  const templated = rules.filter(({ template }) => template !== undefined);
  if (templated.length > MAX_TEMPLATED_RULES) {
    throw badRequest(`policy: more than ${MAX_TEMPLATED_RULES} rules with templates`);
  }
  const shapes = new Shapes();
  for (const rule of rules) shapes.add(pathPattern(plainPath(rule)));
  if (shapes.count > MAX_SHAPES) {
    throw badRequest(`policy: the paths with + are of too many shapes: use + and * in fewer combinations of places`);
  }
}

/** The path of a rule, with some text for each of its references: of the same shape as it will be. */
export const plainPath = ({ path, template }: Pick<Rule, 'path' | 'template'>): string =>
  template === undefined ? path : samplePath(template);

function readHclTop(members: readonly Member[], rules: Rule[]): void {
  const seen = new Set<string>();
  for (const member of members) {
    if (member.name === 'path' && member.label !== undefined) addRule(member.label, member.value, member.line, rules);
    else readName(member, seen);
  }
}

/** `path` is an object of rules by path, or a list of such objects; each rule an object, or a list of them. */
function readJsonTop(members: readonly Member[], rules: Rule[]): void {
  const seen = new Set<string>();
  for (const member of members) {
    if (member.name !== 'path') readName(member, seen);
    else if (seen.has('path')) throw refused(member.line, 'path is given twice; give all rules in one');
    else {
      seen.add('path');
      for (const paths of listed(member.value)) {
        if (paths.kind !== 'object') throw refused(paths.line, 'path must be an object of rules by path');
        for (const { name, value, line } of paths.members) {
          for (const rule of listed(value)) addRule(name, rule, line, rules);
        }
      }
    }
  }
}

const listed = (value: Value): readonly Value[] => (value.kind === 'list' ? value.items : [value]);

/** A policy may carry its `name`, as in the family; the address it is written to names it, so it has no effect. */
function readName({ name, label, value, line }: Member, seen: Set<string>): void {
  if (name !== 'name' || label !== undefined) {
    throw refused(line, 'at the top only path "…" { … } rules and a name may stand');
  }
  if (value.kind !== 'string') throw refused(value.line, 'name must be a string in double quotes');
  if (seen.has('name')) throw refused(line, 'name is given twice; give it once');
  seen.add('name');
}

function addRule(path: string, body: Value, line: number, rules: Rule[]): void {
  if (rules.length === MAX_RULES) throw badRequest(`policy: more than ${MAX_RULES} rules`);
  if (body.kind !== 'object') throw refused(body.line, 'a rule must be an object of rule keys');
  rules.push({ ...rulePath(path, line), ...readRuleBody(body.members, line) });
}
