import { MAX_NESTING } from './limits.ts';
import type { Scanner } from './scanner.ts';
import { type Member, refused, type Value } from './syntax.ts';

/** Reads a text of HCL (version 1, as policies of the family use it) to its end. Throws 400. */
export function readHcl(scanner: Scanner): readonly Member[] {
  const members: Member[] = [];
  while (scanner.token.kind !== 'end') members.push(member(scanner, 0));
  return members;
}

function member(scanner: Scanner, depth: number): Member {
  const { kind, text: name, line } = scanner.take();
  if (kind !== 'word' && kind !== 'string') throw refused(line, 'expected a key or a path "…" block');
  const label = scanner.token.kind === 'string' ? scanner.take().text : undefined;
  const assigned = label === undefined && scanner.skip('=');
  if (!assigned && scanner.token.kind !== '{') {
    throw refused(scanner.token.line, label === undefined ? 'expected = or { after a key' : 'expected { after a path');
  }
  const read: Member = { name, label, value: value(scanner, depth + 1), line };
  if (depth > 0) scanner.skip(',');
  return read;
}

function value(scanner: Scanner, depth: number): Value {
  const { kind, text, line } = scanner.take();
  if (depth > MAX_NESTING) throw refused(line, `nested more than ${MAX_NESTING} deep`);
  if (kind === 'string') return { kind, text, line };
  if (kind === 'number' || (kind === 'word' && (text === 'true' || text === 'false'))) {
    return { kind: 'literal', text, line };
  }
  if (kind === '[') return { kind: 'list', items: list(scanner, depth), line };
  if (kind !== '{')
    throw refused(line, 'expected a value: a string in double quotes, a number, true, false, […] or {…}');
  const members: Member[] = [];
  while (!scanner.skip('}')) members.push(member(scanner, depth));
  return { kind: 'object', members, line };
}

function list(scanner: Scanner, depth: number): readonly Value[] {
  const items: Value[] = [];
  while (!scanner.skip(']')) {
    items.push(value(scanner, depth + 1));
    if (scanner.token.kind !== ']') scanner.expect(',', ', or ] in a list');
  }
  return items;
}
