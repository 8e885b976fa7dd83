import { list } from '../../../sys/context.ts';
import { accessors } from '../../../tokens/accessor.ts';

export const listAccessors = [
  list(
    'accessors',
    { summary: 'List the accessors of all tokens', params: {}, sudo: true },
    async ({ page }, { tx }) => ({ keys: await accessors(tx, page.after, page.limit) }),
  ),
];
