import { type Member, spelledMembers } from './json.ts';
import type { Json } from './slice.ts';

/**
 * The structure of an object without its values (document 3, "Read subkeys"): every leaf, empty objects and lists
 * included, is null. Recursion is bounded by the scanner's limit of depth.
 * @param depth keys at this depth are leaves; 0 or less is no limit
 * @returns JSON text
 */
export function subkeys(json: Json, depth: number): string {
  const parts: string[] = [];
  writeKeys(parts, spelledMembers(json), depth > 0 ? depth : Number.POSITIVE_INFINITY);
  return parts.join('');
}

function writeKeys(parts: string[], object: ReadonlyMap<string, Member>, depth: number): void {
  let separator = '{';
  for (const { nameText, value } of object.values()) {
    parts.push(separator, nameText, ':');
    separator = ',';
    const inner = value.kind === 'object' && depth > 1 ? spelledMembers(value) : undefined;
    if (inner !== undefined && inner.size > 0) writeKeys(parts, inner, depth - 1);
    else parts.push('null');
  }
  parts.push(object.size === 0 ? '{}' : '}');
}
