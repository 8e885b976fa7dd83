import type { Endpoint, Verb } from './endpoint.ts';
import { forms, type Step } from './pattern.ts';

/** What a path within a mount leads to. */
export interface Match<C> {
  readonly endpoint: Endpoint<C>;
  /** Parameters of the path by name, as text. */
  readonly captured: ReadonlyMap<string, string>;
}

/** A node of the tree of paths: literals go before a segment, a segment before the rest; the order of declaration says nothing. */
interface Node<C> {
  readonly literals: Map<string, Node<C>>;
  segment: Node<C> | undefined;
  /** Where any number of segments may stand, what may follow them; the longest first. */
  readonly tails: { readonly suffix: readonly string[]; readonly leaf: Leaf<C> }[];
  leaf: Leaf<C> | undefined;
}

type Leaf<C> = Map<Verb, { readonly endpoint: Endpoint<C>; readonly names: readonly string[] }>;

/** Finds the endpoint of a path and a verb among those of one engine. */
export class Router<C> {
  readonly #root: Node<C> = empty();

  constructor(endpoints: readonly Endpoint<C>[]) {
    for (const endpoint of endpoints) for (const steps of forms(endpoint.path)) this.#add(endpoint, steps);
  }

  /**
   * `path` is canonical and relative to the mount; of a list it ends in `/` or not, which is the same. Answers
   * `method` where the path exists but not with this verb, and nothing where no such path exists.
   */
  match(verb: Verb, path: string): Match<C> | 'method' | undefined {
    const listing = verb === 'list' || verb === 'scan';
    const bare = listing && path.endsWith('/') ? path.slice(0, -1) : path;
    const segments = bare === '' ? [] : bare.split('/');
    let method = false;
    for (const { leaf, captured } of candidates(this.#root, segments, 0, [], listing)) {
      const found = leaf.get(verb);
      if (found === undefined) {
        method = true;
        continue;
      }
      return { endpoint: found.endpoint, captured: new Map(found.names.map((name, i) => [name, captured[i] ?? ''])) };
    }
    return method ? 'method' : undefined;
  }

  #add(endpoint: Endpoint<C>, steps: readonly Step[]): void {
    let node = this.#root;
    const names: string[] = [];
    for (const [i, step] of steps.entries()) {
      if (step.kind === 'literal') {
        const next = node.literals.get(step.text) ?? empty<C>();
        node.literals.set(step.text, next);
        node = next;
        continue;
      }
      names.push(step.name);
      if (step.kind === 'path') {
        enter(tail(node, steps.slice(i + 1)), endpoint, names);
        return;
      }
      node.segment ??= empty();
      node = node.segment;
    }
    node.leaf ??= new Map();
    enter(node.leaf, endpoint, names);
  }
}

const empty = <C>(): Node<C> => ({ literals: new Map(), segment: undefined, tails: [], leaf: undefined });

function enter<C>(leaf: Leaf<C>, endpoint: Endpoint<C>, names: readonly string[]): void {
  if (leaf.has(endpoint.verb)) throw new Error(`${endpoint.verb} ${endpoint.path} is declared twice`);
  leaf.set(endpoint.verb, { endpoint, names });
}

function tail<C>(node: Node<C>, steps: readonly Step[]): Leaf<C> {
  const suffix = steps.map((step) => {
    if (step.kind !== 'literal') throw new Error('only literals may follow the parameter path');
    return step.text;
  });
  const known = node.tails.find((t) => t.suffix.join('/') === suffix.join('/'));
  if (known !== undefined) return known.leaf;
  const leaf: Leaf<C> = new Map();
  node.tails.push({ suffix, leaf });
  node.tails.sort((a, b) => b.suffix.length - a.suffix.length);
  return leaf;
}

/** Leaves that the segments lead to, the most literal first. */
function* candidates<C>(
  node: Node<C>,
  segments: readonly string[],
  at: number,
  captured: readonly string[],
  listing: boolean,
): Generator<{ leaf: Leaf<C>; captured: readonly string[] }> {
  const segment = segments[at];
  if (segment === undefined) {
    if (node.leaf !== undefined) yield { leaf: node.leaf, captured };
    // `metadata` lists as `metadata/` does; for every other verb the slash is part of the path, save at the mount's root.
    const root = listing || at === 0 ? node.tails.find((t) => t.suffix.length === 0) : undefined;
    if (root !== undefined) yield { leaf: root.leaf, captured: [...captured, ''] };
    return;
  }
  const literal = node.literals.get(segment);
  if (literal !== undefined) yield* candidates(literal, segments, at + 1, captured, listing);
  if (node.segment !== undefined && segment !== '') {
    yield* candidates(node.segment, segments, at + 1, [...captured, segment], listing);
  }
  for (const { suffix, leaf } of node.tails) {
    const end = segments.length - suffix.length;
    if (end >= at && suffix.every((text, i) => segments[end + i] === text)) {
      yield { leaf, captured: [...captured, segments.slice(at, end).join('/')] };
    }
  }
}
