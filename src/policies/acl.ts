import type { Capability } from './capability.ts';
import type { Constraints } from './constraints.ts';
import type { Grant } from './grant.ts';
import type { Identity } from './identity.ts';
import { MAX_PATH_BYTES, MAX_SHAPES_OF_SET } from './limits.ts';
import { type Policy, plainPath, type Rule } from './parse.ts';
import { grants, reachesBeneath } from './reach.ts';
import { faultOf, pathPattern } from './rule-path.ts';
import { Shapes } from './shapes.ts';
import { fillPath } from './template.ts';
import { grantAt, insertRule, mostSpecific, prevailing, prevailingOf, type TrieNode, trieNode } from './trie.ts';

/** The rule that decides over an operation on a path. */
export interface Decision {
  has(capability: Capability): boolean;
  /** What narrows them: parameters, wrapping, pages. Undefined where nothing does. */
  readonly constraints: Constraints | undefined;
}

/** What a token may do. Paths are canonical (R1) and have no leading slash. */
export interface AclView {
  /**
   * The one rule that decides: the same for all operations but LIST and SCAN, which mean the folder, with or without a
   * slash at the end. Undefined where none does, so that nothing is permitted.
   */
  decide(operation: Capability, path: string): Decision | undefined;
  allows(operation: Capability, path: string): boolean;
  /** Sorted names; `['deny']` where nothing is granted; `['root']` for a root token. */
  capabilities(path: string): string[];
  /** Whether a privileged endpoint may be used by this operation; the same rule decides as for the operation itself. */
  sudo(path: string, operation?: Capability): boolean;
  /** Whether any capability but deny holds at or beneath a mount's path, which ends in `/`. */
  reaches(mount: string): boolean;
}

/** Policies compiled for look-up. The most specific rule alone decides (4-open-points, Tokens and policies). */
export class Acl implements AclView {
  /** Milliseconds since 1970: from then on a rule has ended, and the policies are to be compiled again. */
  readonly endsAt: number;
  /** Rules whose path depends on who calls; without an identity they count for nothing. */
  readonly templated: readonly Rule[];
  /** The rules of all, and for one identity before them those that templates gave. */
  readonly #roots: readonly TrieNode[];
  /** Segments of the longest rule. */
  readonly #depth: number;

  private constructor(endsAt: number, templated: readonly Rule[], roots: readonly TrieNode[], depth: number) {
    this.endsAt = endsAt;
    this.templated = templated;
    this.#roots = roots;
    this.#depth = depth;
  }

  /**
   * Joins policies: rules of one path merge over all of them, and deny wins. Linear in the rules.
   * @param now milliseconds since 1970; rules that have ended by then are left out
   */
  static compile(policies: readonly Policy[], now = Number.NEGATIVE_INFINITY): Acl {
    const root = trieNode();
    const shapes = new Shapes();
    const templated: Rule[] = [];
    let depth = 0;
    let endsAt = Number.POSITIVE_INFINITY;
    for (const { rules } of policies) {
      for (const rule of rules) {
        const { expires = Number.POSITIVE_INFINITY, template } = rule;
        if (expires <= now) continue;
        endsAt = Math.min(endsAt, expires);
        const pattern = pathPattern(plainPath(rule));
        depth = Math.max(depth, pattern.segments.length);
        shapes.add(pattern);
        if (template === undefined) insertRule(root, pattern, rule);
        else templated.push(rule);
      }
    }
    // What looks so crafted that it would hold everybody up permits nothing: to leave a rule out might lose a deny.
    const bearable = shapes.count <= MAX_SHAPES_OF_SET;
    return new Acl(endsAt, bearable ? templated : [], bearable ? [root] : [], depth);
  }

  /** The same for one caller: with the rules whose templates it has all values of. */
  of(identity: Identity): Acl {
    const own = trieNode();
    for (const { template, ...terms } of this.templated) {
      const path = template && fillPath(template, identity);
      if (path === undefined || faultOf(path) !== undefined) continue;
      const pattern = pathPattern(path);
      const known = grantAt(own, pattern);
      const grant = insertRule(own, pattern, terms);
      const others = known === undefined ? this.#roots.map((root) => grantAt(root, pattern)) : [];
      for (const other of others) if (other !== undefined) grant.join(other);
    }
    return new Acl(this.endsAt, [], [own, ...this.#roots], this.#depth);
  }

  decide(operation: Capability, path: string): Grant | undefined {
    // No canonical path is longer, and the depth of a search must not be the caller's choice.
    if (path.length > MAX_PATH_BYTES + 1) return undefined;
    if (operation !== 'list' && operation !== 'scan') return this.#find(path);
    // A folder has two spellings, `a/b/` and `a/b`. Rules for either are rules for it: the most specific of all decides,
    // so that no broad grant passes a narrower deny by a slash (known-attacks A2).
    const bare = path.endsWith('/') ? path.slice(0, -1) : path;
    return bare === '' ? this.#find('') : prevailing(this.#find(`${bare}/`), this.#find(bare));
  }

  allows(operation: Capability, path: string): boolean {
    return operation !== 'deny' && this.decide(operation, path)?.has(operation) === true;
  }

  capabilities(path: string): string[] {
    const grant = this.decide(path.endsWith('/') ? 'list' : 'read', path);
    return grant !== undefined && grants(grant) ? [...grant.capabilities].sort() : ['deny'];
  }

  sudo(path: string, operation: Capability = path.endsWith('/') ? 'list' : 'read'): boolean {
    return this.decide(operation, path)?.has('sudo') === true;
  }

  reaches(mount: string): boolean {
    if (mount.length > MAX_PATH_BYTES) return false;
    const find = (path: string): Grant | undefined => this.#find(path);
    return grants(this.decide('list', mount)) || reachesBeneath(this.#roots, this.#depth, mount, find);
  }

  #find(path: string): Grant | undefined {
    let found: Grant | undefined;
    for (const root of this.#roots) found = prevailingOf(found, mostSpecific(root, path));
    return found;
  }
}

/** What the built-in root policy gives: everything. */
export const ROOT_ACL: AclView = {
  decide: () => EVERYTHING,
  allows: (operation) => operation !== 'deny',
  capabilities: () => ['root'],
  sudo: () => true,
  reaches: () => true,
};

const EVERYTHING: Decision = { has: (capability) => capability !== 'deny', constraints: undefined };

/** What is permitted without a policy: nothing. */
export const NO_ACL: AclView = {
  decide: () => undefined,
  allows: () => false,
  capabilities: () => ['deny'],
  sudo: () => false,
  reaches: () => false,
};
