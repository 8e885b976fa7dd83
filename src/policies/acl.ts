import type { Capability } from './capability.ts';
import { MAX_PATH_BYTES } from './limits.ts';
import type { Policy } from './parse.ts';
import { grants, reachesBeneath } from './reach.ts';
import { pathPattern } from './rule-path.ts';
import { type Grant, insertRule, mostSpecific, prevailing, type TrieNode, trieNode } from './trie.ts';

/** What a token may do. Paths are canonical (R1) and have no leading slash. */
export interface AclView {
  /** Whether the operation is permitted; LIST and SCAN mean the folder, with or without a slash at the end. */
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
  readonly #root: TrieNode = trieNode();
  #depth = 0;

  private constructor() {}

  /** Joins policies: rules of one path merge over all of them, and deny wins. Linear in the rules. */
  static compile(policies: readonly Policy[]): Acl {
    const acl = new Acl();
    for (const { rules } of policies) {
      for (const { path, capabilities } of rules) {
        const pattern = pathPattern(path);
        acl.#depth = Math.max(acl.#depth, pattern.segments.length);
        insertRule(acl.#root, pattern, capabilities);
      }
    }
    return acl;
  }

  allows(operation: Capability, path: string): boolean {
    return operation !== 'deny' && this.#decide(operation, path)?.capabilities.has(operation) === true;
  }

  capabilities(path: string): string[] {
    const grant = this.#decide(path.endsWith('/') ? 'list' : 'read', path);
    return grant !== undefined && grants(grant) ? [...grant.capabilities].sort() : ['deny'];
  }

  sudo(path: string, operation: Capability = path.endsWith('/') ? 'list' : 'read'): boolean {
    return this.#decide(operation, path)?.capabilities.has('sudo') === true;
  }

  reaches(mount: string): boolean {
    if (mount.length > MAX_PATH_BYTES) return false;
    return grants(this.#decide('list', mount)) || reachesBeneath(this.#root, this.#depth, mount);
  }

  /**
   * A folder has two spellings, `a/b/` and `a/b`. Rules for either are rules for it: the most specific of all decides,
   * so that no broad grant passes a narrower deny by a slash (known-attacks A2).
   */
  #decide(operation: Capability, path: string): Grant | undefined {
    // No canonical path is longer, and the depth of a search must not be the caller's choice.
    if (path.length > MAX_PATH_BYTES + 1) return undefined;
    if (operation !== 'list' && operation !== 'scan') return mostSpecific(this.#root, path);
    const bare = path.endsWith('/') ? path.slice(0, -1) : path;
    if (bare === '') return mostSpecific(this.#root, '');
    return prevailing(mostSpecific(this.#root, `${bare}/`), mostSpecific(this.#root, bare));
  }
}

/** What the built-in root policy gives: everything. */
export const ROOT_ACL: AclView = {
  allows: (operation) => operation !== 'deny',
  capabilities: () => ['root'],
  sudo: () => true,
  reaches: () => true,
};
