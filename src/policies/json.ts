import { badRequest } from '../framework/errors.ts';
import { MAX_NESTING } from './limits.ts';
import { Scanner } from './scanner.ts';
import { type Member, refused, type Value } from './syntax.ts';

/**
 * Reads a policy written in JSON. JSON.parse judges the grammar; the walk after it keeps every member, so that a key
 * that stands twice is seen and not overwritten (known-attacks A10). Throws 400.
 */
export function readJson(text: string): readonly Member[] {
  try {
    JSON.parse(text);
  } catch {
    throw badRequest('policy: the text begins as JSON and is not valid JSON');
  }
  const root = value(new Scanner(text), 0);
  if (root.kind !== 'object') throw refused(root.line, 'expected an object');
  return root.members;
}

function value(scanner: Scanner, depth: number): Value {
  const { kind, text, line } = scanner.take();
  if (depth > MAX_NESTING) throw refused(line, `nested more than ${MAX_NESTING} deep`);
  if (kind === 'string') return { kind, text, line };
  if (kind === '[') {
    const items: Value[] = [];
    while (!scanner.skip(']')) {
      items.push(value(scanner, depth + 1));
      scanner.skip(',');
    }
    return { kind: 'list', items, line };
  }
  if (kind !== '{') return { kind: 'literal', text, line };
  const members: Member[] = [];
  while (!scanner.skip('}')) {
    const name = scanner.take();
    scanner.expect(':', ': after a key');
    members.push({ name: name.text, label: undefined, value: value(scanner, depth + 1), line: name.line });
    scanner.skip(',');
  }
  return { kind: 'object', members, line };
}
