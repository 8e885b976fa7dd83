/**
 * What a rule may grant on its path, and `deny`, which beats the others (document 1, Authentication 4; 4-open-points,
 * Tokens and policies). `root` is no capability of a rule: only the built-in root policy answers with it.
 */
export const CAPABILITIES = ['create', 'read', 'update', 'patch', 'delete', 'list', 'scan', 'sudo', 'deny'] as const;

export type Capability = (typeof CAPABILITIES)[number];

const known: ReadonlySet<string> = new Set(CAPABILITIES);

/** Whether a word is a capability; the letter case counts. */
export const isCapability = (word: string): word is Capability => known.has(word);

/** The older words of a rule's `policy` key and what each grants (4-open-points, Tokens and policies). */
export const POLICY_WORDS: ReadonlyMap<string, readonly Capability[]> = new Map<string, readonly Capability[]>([
  ['read', ['read', 'list']],
  ['write', ['create', 'read', 'update', 'delete', 'list']],
  ['sudo', ['create', 'read', 'update', 'delete', 'list', 'sudo']],
  ['deny', ['deny']],
]);

/** One set out of several for one path: they add up, and `deny` in any of them leaves nothing else. */
export function mergeCapabilities(...sets: readonly Iterable<Capability>[]): ReadonlySet<Capability> {
  const all = new Set<Capability>();
  for (const set of sets) for (const capability of set) all.add(capability);
  return all.has('deny') ? new Set<Capability>(['deny']) : all;
}
