import { write } from '../../../sys/context.ts';
import { ACCESSOR, byAccessor } from '../by-accessor.ts';
import { describeToken } from '../describe.ts';

export const lookupAccessor = [
  write(
    'lookup-accessor',
    { summary: 'Look up a token by its accessor', params: { accessor: ACCESSOR } },
    async ({ accessor }, context) => {
      const { record } = await byAccessor(context, accessor);
      return { data: await describeToken('', record, context) };
    },
  ),
];
