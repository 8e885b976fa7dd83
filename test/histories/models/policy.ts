import { deterministic } from '../history.ts';

/** Changes of a policy, a write by the token that has it, and a look at what was written, by another token. */
export type PolicyInput =
  | { readonly do: 'permit' | 'forbid' | 'remove' | 'see' }
  | { readonly do: 'use'; readonly value: number };

interface Guarded {
  readonly permits: boolean;
  readonly value: number;
}

/**
 * Whether a policy permits a write, and what was written: what an answered change says holds for the next request of any
 * node, and a write that was permitted before cannot come after it.
 */
export const policyModel = deterministic<Guarded, PolicyInput>({
  initial: { permits: false, value: 0 },
  name: ({ permits, value }) => `${permits ? 'permits' : 'forbids'} ${value}`,
  reads: ({ do: what }, output) => what === 'see' || output === 'refused',
  apply(guarded, input) {
    if (input.do === 'see') return { state: guarded, output: String(guarded.value) };
    if (input.do !== 'use') return { state: { ...guarded, permits: input.do === 'permit' }, output: 'done' };
    if (!guarded.permits) return { state: guarded, output: 'refused' };
    return { state: { ...guarded, value: input.value }, output: 'permitted' };
  },
});
