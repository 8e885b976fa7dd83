import { type Member, scanJson, spelledMembers } from './json.ts';
import type { Json } from './slice.ts';

/**
 * Merges a patch into an object (RFC 7396) over the text: what the patch does not touch keeps its digits, order and
 * names; a replaced member keeps its place, a new one follows at the end. Lists are replaced whole, nulls inside them
 * kept (4-open-points: KV). Recursion is bounded by the scanner's limit of depth.
 * @returns JSON text
 * @throws ServiceError 400 when the result holds more values than a scanned text may
 */
export function mergePatch(target: Json, patch: Json): string {
  const parts: string[] = [];
  mergeInto(parts, target, patch);
  const merged = parts.join('');
  // The result is stored and scanned again later, so it has to keep the limits that its two parts kept.
  scanJson(merged, 'merged data');
  return merged;
}

// One list of parts for all levels: joining level by level would copy a deep value once per level.
function mergeInto(parts: string[], target: Json | undefined, patch: Json): void {
  const old = target?.kind === 'object' ? spelledMembers(target) : none;
  const changes = spelledMembers(patch);
  let separator = '{';
  const writeName = (nameText: string): void => {
    parts.push(separator, nameText, ':');
    separator = ',';
  };
  const writeChange = (nameText: string, before: Json | undefined, change: Json): void => {
    if (change.kind === 'null') return;
    writeName(nameText);
    if (change.kind === 'object') mergeInto(parts, before, change);
    else parts.push(change.text);
  };
  for (const [name, { nameText, value }] of old) {
    const change = changes.get(name);
    if (change !== undefined) {
      writeChange(nameText, value, change.value);
    } else {
      writeName(nameText);
      parts.push(value.text);
    }
  }
  for (const [name, { nameText, value }] of changes) {
    if (!old.has(name)) writeChange(nameText, undefined, value);
  }
  parts.push(separator === '{' ? '{}' : '}');
}

const none: ReadonlyMap<string, Member> = new Map();
