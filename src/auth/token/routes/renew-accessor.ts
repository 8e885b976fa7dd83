import { write } from '../../../sys/context.ts';
import { ACCESSOR, byAccessor } from '../by-accessor.ts';
import { renewToken } from '../renew.ts';
import { INCREMENT } from './renew.ts';

export const renewAccessor = [
  write(
    'renew-accessor',
    { summary: 'Renew a token by its accessor', params: { accessor: ACCESSOR, increment: INCREMENT } },
    async ({ accessor, increment }, context) => renewToken(context, await byAccessor(context, accessor), '', increment),
  ),
];
