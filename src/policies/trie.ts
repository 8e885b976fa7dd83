import { Grant, type Terms } from './grant.ts';
import { compareSpecificity, isMoreLiteral, type PathPattern } from './rule-path.ts';

/** A place in the trie of rule paths, one level for each segment. Most places hold one thing, so the maps come late. */
export interface TrieNode {
  children: Map<string, TrieNode> | undefined;
  /** The way of `+`. */
  any: TrieNode | undefined;
  /** The rule that ends here. */
  end: Grant | undefined;
  /** The rule that ends in `/*` here: any next segment. */
  rest: Grant | undefined;
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
  rest: undefined,
  prefixes: undefined,
  prefixLengths: NO_LENGTHS,
});

/** Adds what a rule says to the path's own entry, which it gives. */
export function insertRule(root: TrieNode, pattern: PathPattern, terms: Terms): Grant {
  const { segments, prefix } = pattern;
  let node = root;
  for (const segment of prefix ? segments.slice(0, -1) : segments) node = descend(node, segment);
  const known = grantOf(node, pattern);
  if (known !== undefined) {
    known.add(terms);
    return known;
  }
  const grant = new Grant(pattern, terms);
  const beginning = beginningOf(pattern);
  if (beginning === undefined) node.end = grant;
  else if (beginning === '') node.rest = grant;
  else {
    node.prefixes ??= new Map();
    node.prefixes.set(beginning, grant);
    if (!node.prefixLengths.includes(beginning.length)) {
      node.prefixLengths = [...node.prefixLengths, beginning.length].sort((a, b) => b - a);
    }
  }
  return grant;
}

/** What stands before the `*` in the last segment; undefined where there is none. */
const beginningOf = ({ segments, prefix }: PathPattern): string | undefined =>
  prefix ? (segments.at(-1) ?? '') : undefined;

function grantOf(node: TrieNode, pattern: PathPattern): Grant | undefined {
  const beginning = beginningOf(pattern);
  if (beginning === undefined) return node.end;
  return beginning === '' ? node.rest : node.prefixes?.get(beginning);
}

/** The entry of just this rule path. */
export function grantAt(root: TrieNode, pattern: PathPattern): Grant | undefined {
  const { segments, prefix } = pattern;
  let node: TrieNode | undefined = root;
  for (const segment of prefix ? segments.slice(0, -1) : segments) {
    node = segment === null ? node?.any : node?.children?.get(segment);
  }
  return node && grantOf(node, pattern);
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
  if (order === 0) return b.has('deny') ? b : a;
  return order > 0 ? a : b;
}

/** The same of two that were found in different tries: of equals that grant the more literal one. */
export function prevailingOf(a: Grant | undefined, b: Grant | undefined): Grant | undefined {
  const found = prevailing(a, b);
  if (found !== a || a === undefined || b === undefined || a.has('deny')) return found;
  return compareSpecificity(a.pattern, b.pattern) === 0 && isMoreLiteral(b.pattern, a.pattern) ? b : a;
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
  return node.rest;
}
