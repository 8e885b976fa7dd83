import { deterministic } from '../history.ts';

/** A token whose uses are counted: `ask` is a request that policies refuse, which costs a use too. */
export type UsesInput = { readonly do: 'create'; readonly uses: number } | { readonly do: 'use' | 'ask' | 'revoke' };

/** The state is the number of uses that are left; with the last one the token is gone, and its value free. */
export const usesModel = deterministic<number, UsesInput>({
  initial: 0,
  name: String,
  reads: ({ do: what }, output) => output === 'taken' || (what === 'use' && output === 'refused'),
  apply(left, input) {
    switch (input.do) {
      case 'create':
        return left > 0 ? { state: left, output: 'taken' } : { state: input.uses, output: 'done' };
      case 'use':
        return left > 0 ? { state: left - 1, output: 'served' } : { state: left, output: 'refused' };
      case 'ask':
        return { state: Math.max(0, left - 1), output: 'refused' };
      case 'revoke':
        return { state: 0, output: 'done' };
    }
  },
});
