import { deterministic } from '../history.ts';

/** What is done with a token of a chosen value, and with one that it creates. */
export interface FamilyInput {
  readonly do: 'create' | 'revoke' | 'use';
  readonly who: 'parent' | 'child';
}

/** A child whose parent was revoked is stale: it works no more, and its value is not free until it is revoked itself. */
interface Family {
  readonly parent: 'none' | 'alive';
  readonly child: 'none' | 'alive' | 'stale';
}

/** Who was revoked is refused at once, by all nodes, and with it what came from it; the parent creates the child itself. */
export const familyModel = deterministic<Family, FamilyInput>({
  initial: { parent: 'none', child: 'none' },
  name: ({ parent, child }) => `parent ${parent}, child ${child}`,
  reads: (input, output) => input.do === 'use' || output === 'refused' || output === 'taken',
  apply(family, { do: what, who }) {
    const same = (output: string) => ({ state: family, output });
    if (what === 'use') return same(family[who] === 'alive' ? 'served' : 'refused');
    if (what === 'create') {
      if (who === 'child' && family.parent === 'none') return same('refused');
      if (family[who] !== 'none') return same('taken');
      return { state: { ...family, [who]: 'alive' }, output: 'done' };
    }
    if (who === 'child') return { state: { ...family, child: 'none' }, output: 'done' };
    return { state: { parent: 'none', child: family.child === 'alive' ? 'stale' : family.child }, output: 'done' };
  },
});
