import { formatHcl } from './format-hcl.ts';
import { readJson } from './json.ts';
import { parsePolicy } from './parse.ts';
import { Scanner } from './scanner.ts';
import type { Member, Value } from './syntax.ts';

/**
 * The text of a policy laid out in the one usual way, with the same rules and the same comments; formatting it again
 * changes nothing. HCL stays HCL, JSON stays JSON. 400 where it is no policy.
 */
export function formatPolicy(text: string): string {
  parsePolicy(text);
  return new Scanner(text).token.kind === '{' ? `${jsonObject(readJson(text), '')}\n` : formatHcl(text);
}

const STEP = '  ';

function jsonObject(members: readonly Member[], indent: string): string {
  const inner = indent + STEP;
  const lines = members.map(({ name, value }) => `${inner}${JSON.stringify(name)}: ${jsonValue(value, inner)}`);
  return lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n${indent}}`;
}

function jsonValue(value: Value, indent: string): string {
  switch (value.kind) {
    case 'string':
      return JSON.stringify(value.text);
    case 'literal':
      return value.text;
    case 'object':
      return jsonObject(value.members, indent);
    case 'list': {
      const plain = value.items.every(({ kind }) => kind === 'string' || kind === 'literal');
      if (plain) return `[${value.items.map((item) => jsonValue(item, indent)).join(', ')}]`;
      const inner = indent + STEP;
      return `[\n${value.items.map((item) => inner + jsonValue(item, inner)).join(',\n')}\n${indent}]`;
    }
  }
}
