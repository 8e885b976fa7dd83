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

/** The sets met so far, by their members as bits: rules are many, and there are not more than 257 sets. */
const SETS = new Map<number, ReadonlySet<Capability>>();

const DENY = bitOf('deny');

/** One set out of several for one path: they add up, and `deny` in any of them leaves nothing else. */
export function mergeCapabilities(...sets: readonly Iterable<Capability>[]): ReadonlySet<Capability> {
  let bits = 0;
  for (const set of sets) for (const capability of set) bits |= bitOf(capability);
  if ((bits & DENY) !== 0) bits = DENY;
  const known = SETS.get(bits);
  if (known !== undefined) return known;
  const made = new Set(CAPABILITIES.filter((capability) => (bits & bitOf(capability)) !== 0));
  SETS.set(bits, made);
  return made;
}

function bitOf(capability: Capability): number {
  return 1 << CAPABILITIES.indexOf(capability);
}
