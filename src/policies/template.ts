import type { Identity } from './identity.ts';
import { findValue, isReference } from './reference.ts';
import { refused } from './syntax.ts';

/** A rule's path with `{{…}}` in it: literal texts, and between each two a reference to the caller's identity. */
export interface PathTemplate {
  readonly literals: readonly string[];
  readonly references: readonly string[];
}

/**
 * Takes a path with templates apart; undefined where it has none. 400 for braces without their other half, and for what
 * is no value of an identity, which would never match.
 */
export function pathTemplate(path: string, line: number): PathTemplate | undefined {
  const [first = '', ...rest] = path.split('{{');
  if (first.includes('}}')) throw unbalanced(line);
  if (rest.length === 0) return undefined;
  const literals = [first];
  const references: string[] = [];
  for (const piece of rest) {
    const parts = piece.split('}}');
    const [reference = '', literal = ''] = parts;
    if (parts.length !== 2) throw unbalanced(line);
    const name = reference.trim();
    if (!isReference(name)) throw unknown(line);
    references.push(name);
    literals.push(literal);
  }
  return { literals, references };
}

const unbalanced = (line: number) => refused(line, 'the path of a rule holds {{ without }}, or }} without {{');

const unknown = (line: number) =>
  refused(
    line,
    'a template names no value of an identity; known are identity.entity.{id, name, metadata.KEY}, ' +
      'identity.entity.aliases.ACCESSOR.{id, name, metadata.KEY, custom_metadata.KEY} and ' +
      'identity.groups.{ids.ID, names.NAME}.{id, name, metadata.KEY}',
  );

/** The path with the same text for every reference: what stands around them is checked on it, and counted. */
export const samplePath = ({ literals }: PathTemplate): string => literals.join('x');

/** Characters that would make one path of a rule into others (known-attacks A5). */
const FORBIDDEN = /[*+/,]/;

/** The path for an identity; undefined where a value is missing, empty, or would reach further than one segment. */
export function fillPath({ literals, references }: PathTemplate, identity: Identity): string | undefined {
  let path = literals[0] ?? '';
  for (const [i, reference] of references.entries()) {
    const value = findValue(identity, reference);
    if (value === undefined || value === '' || FORBIDDEN.test(value)) return undefined;
    path += value + (literals[i + 1] ?? '');
  }
  return path;
}
