import { deterministic } from '../history.ts';

/** Changes of a policy, and a use of the token that has it. */
export type PolicyInput = 'permit' | 'forbid' | 'remove' | 'use';

/** The state is whether the policy permits the use: what an answered change says holds for the next request of any node. */
export const policyModel = deterministic<boolean, PolicyInput>({
  initial: false,
  name: String,
  reads: (input) => input === 'use',
  apply(permits, input) {
    if (input === 'use') return { state: permits, output: permits ? 'permitted' : 'refused' };
    return { state: input === 'permit', output: 'done' };
  },
});
