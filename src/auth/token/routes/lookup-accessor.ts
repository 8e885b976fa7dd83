import { identityPoliciesOf } from '../../../core/principal.ts';
import { write } from '../../../sys/context.ts';
import { ACCESSOR, byAccessor } from '../by-accessor.ts';
import { describeToken } from '../describe.ts';

export const lookupAccessor = [
  write(
    'lookup-accessor',
    { summary: 'Look up a token by its accessor', params: { accessor: ACCESSOR } },
    async ({ accessor }, context) => {
      const { record } = await byAccessor(context, accessor);
      const { tx, revision, now } = context;
      return { data: describeToken('', record, await identityPoliciesOf(tx, revision, record), now) };
    },
  ),
];
