import type { Grant } from './grant.ts';
import type { TrieNode } from './trie.ts';

/** Look-ups one answer may cost; beyond it the answer is no, which hides a mount and never shows one. */
const MAX_LOOKUPS = 10_000;

/** A segment that no rule names or begins: rules hold no control characters. */
const UNNAMED = '\u0000';

export const grants = (grant: Grant | undefined): boolean =>
  grant !== undefined && grant.capabilities.size > 0 && !grant.has('deny');

/**
 * Whether any path beneath `mount` (`kv/`) has a capability left once the most specific rule has decided. Each rule
 * that could reach there is tried with paths only it and more general rules match, one for each depth that counts.
 * @param find the rule that decides over a path
 * @param depth the segments of the longest rule: beyond it only rules ending in `*` match
 */
export function reachesBeneath(
  roots: readonly TrieNode[],
  depth: number,
  mount: string,
  find: (path: string) => Grant | undefined,
): boolean {
  const place = mount.slice(0, -1).split('/');
  let lookups = 0;
  for (const { pattern } of beneathAll(roots, place)) {
    const sample = place.slice();
    for (const segment of pattern.segments.slice(place.length)) sample.push(segment ?? UNNAMED);
    if (pattern.prefix && pattern.segments.length > place.length) sample.push(`${sample.pop() ?? ''}${UNNAMED}`);
    else if (pattern.prefix) sample.push(UNNAMED);
    const last = pattern.prefix ? Math.max(depth, sample.length) + 1 : sample.length;
    for (; sample.length <= last; sample.push(UNNAMED)) {
      if (lookups === MAX_LOOKUPS) return false;
      lookups += 1;
      if (grants(find(sample.join('/')))) return true;
    }
  }
  return false;
}

function* beneathAll(roots: readonly TrieNode[], place: readonly string[]): Generator<Grant> {
  for (const root of roots) yield* beneath(root, place, 0);
}

/** The granting rules that match something longer than the mount's own path. */
function* beneath(node: TrieNode, place: readonly string[], at: number): Generator<Grant> {
  const segment = place[at];
  if (segment === undefined) {
    yield* granting(node);
    return;
  }
  const child = node.children?.get(segment);
  if (child !== undefined) yield* beneath(child, place, at + 1);
  if (node.rest !== undefined && grants(node.rest)) yield node.rest;
  for (const [beginning, grant] of node.prefixes ?? []) if (segment.startsWith(beginning) && grants(grant)) yield grant;
  if (node.any !== undefined) yield* beneath(node.any, place, at + 1);
}

/** The granting rules strictly below a node. */
function* granting(node: TrieNode): Generator<Grant> {
  if (node.rest !== undefined && grants(node.rest)) yield node.rest;
  for (const grant of node.prefixes?.values() ?? []) if (grants(grant)) yield grant;
  for (const child of node.children?.values() ?? []) yield* grantingFrom(child);
  if (node.any !== undefined) yield* grantingFrom(node.any);
}

function* grantingFrom(node: TrieNode): Generator<Grant> {
  if (node.end !== undefined && grants(node.end)) yield node.end;
  yield* granting(node);
}
