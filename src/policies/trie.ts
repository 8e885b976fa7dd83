import { type Capability, mergeCapabilities } from './capability.ts';
import { compareSpecificity, type PathPattern } from './rule-path.ts';

/** All that any policy says of one rule path. */
export interface Grant {
  readonly pattern: PathPattern;
  readonly capabilities: ReadonlySet<Capability>;
}

/** A place in the trie of rule paths, one level for each segment. Most places hold one thing, so the maps come late. */
export interface TrieNode {
  children: Map<string, TrieNode> | undefined;
  /** The way of `+`. */
  any: TrieNode | undefined;
  /** The rule that ends here. */
  end: Grant | undefined;
  /** Rules whose next segment ends in `*`, by what stands before it. */
  prefixes: Map<string, Grant> | undefined;
  /** The lengths of those beginnings, longest first. */
  prefixLengths: readonly number[];
}

const NO_LENGTHS: readonly number[] = [];

export const trieNode = (): TrieNode => ({
  children: undefined,
  any: undefined,
  end: undefined,
  prefixes: undefined,
  prefixLengths: NO_LENGTHS,
});

/** Adds what a rule grants to the path's own entry; the same path merges, deny wins. */
export function insertRule(root: TrieNode, pattern: PathPattern, capabilities: ReadonlySet<Capability>): void {
  const { segments, prefix } = pattern;
  let node = root;
  for (const segment of prefix ? segments.slice(0, -1) : segments) node = descend(node, segment);
  const beginning = prefix ? (segments.at(-1) ?? '') : '';
  const before = prefix ? node.prefixes?.get(beginning) : node.end;
  const grant = { pattern, capabilities: mergeCapabilities(before?.capabilities ?? [], capabilities) };
  if (!prefix) {
    node.end = grant;
    return;
  }
  node.prefixes ??= new Map();
  node.prefixes.set(beginning, grant);
  if (!node.prefixLengths.includes(beginning.length)) {
    node.prefixLengths = [...node.prefixLengths, beginning.length].sort((a, b) => b - a);
  }
}

function descend(node: TrieNode, segment: string | null): TrieNode {
  const known = segment === null ? node.any : node.children?.get(segment);
  if (known !== undefined) return known;
  const created = trieNode();
  if (segment === null) node.any = created;
  else {
    node.children ??= new Map();
    node.children.set(segment, created);
  }
  return created;
}

/** The more specific of two; of equals the one that denies, else the first. */
export function prevailing(a: Grant | undefined, b: Grant | undefined): Grant | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const order = compareSpecificity(a.pattern, b.pattern);
  if (order === 0) return b.capabilities.has('deny') ? b : a;
  return order > 0 ? a : b;
}

/**
 * The most specific rule that matches the path. Only nodes whose every segment matches are visited, so rules on other
 * paths cost nothing; among equals a literal segment goes before `+`, leftmost first.
 */
export function mostSpecific(root: TrieNode, path: string): Grant | undefined {
  return search(root, path.split('/'), 0, true);
}

function search(node: TrieNode, segments: readonly string[], depth: number, literal: boolean): Grant | undefined {
  const segment = segments[depth];
  if (segment === undefined) return node.end;
  const child = node.children?.get(segment);
  const deeper = child && search(child, segments, depth + 1, literal);
  // While no wildcard stood before, whatever matched below has its first wildcard later than any rule left here.
  if (literal && deeper !== undefined) return deeper;
  const wild = node.any && search(node.any, segments, depth + 1, false);
  return prevailing(prevailing(deeper, wild), longestPrefix(node, segment));
}

/** Of the rules that end in `*` in this segment the longest that begins it: it is always the most specific of them. */
function longestPrefix(node: TrieNode, segment: string): Grant | undefined {
  for (const length of node.prefixLengths) {
    const grant = length <= segment.length ? node.prefixes?.get(segment.slice(0, length)) : undefined;
    if (grant !== undefined) return grant;
  }
  return undefined;
}
