import { deterministic } from '../history.ts';

type Member = 'parent' | 'child';

/** What is done with a token of a chosen value and with one that it creates, and a look at what they wrote, by another. */
export type FamilyInput =
  | { readonly do: 'create' | 'revoke' | 'use'; readonly who: Member }
  | { readonly do: 'write'; readonly who: Member; readonly value: number }
  | { readonly do: 'see' };

/** A child whose parent was revoked is stale: it works no more, and its value is not free until it is revoked itself. */
interface Family {
  readonly parent: 'none' | 'alive';
  readonly child: 'none' | 'alive' | 'stale';
  readonly value: number;
}

/**
 * Who was revoked is refused at once, by all nodes, and with it what came from it; no write of theirs comes later. The
 * parent creates the child itself.
 */
export const familyModel = deterministic<Family, FamilyInput>({
  initial: { parent: 'none', child: 'none', value: 0 },
  name: ({ parent, child, value }) => `parent ${parent}, child ${child}, ${value}`,
  reads: ({ do: what }, output) => what === 'use' || what === 'see' || output === 'refused' || output === 'taken',
  apply(family, input) {
    const same = (output: string) => ({ state: family, output });
    if (input.do === 'see') return same(String(family.value));
    const { who } = input;
    switch (input.do) {
      case 'use':
        return same(family[who] === 'alive' ? 'served' : 'refused');
      case 'write':
        if (family[who] !== 'alive') return same('refused');
        return { state: { ...family, value: input.value }, output: 'served' };
      case 'create':
        if (who === 'child' && family.parent === 'none') return same('refused');
        if (family[who] !== 'none') return same('taken');
        return { state: { ...family, [who]: 'alive' }, output: 'done' };
      case 'revoke':
        if (who === 'child') return { state: { ...family, child: 'none' }, output: 'done' };
        return {
          state: { ...family, parent: 'none', child: family.child === 'none' ? 'none' : 'stale' },
          output: 'done',
        };
    }
  },
});
