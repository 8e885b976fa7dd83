import { write } from '../../../sys/context.ts';
import { makeToken, wishes } from '../make.ts';

export const create = [
  write('create', { summary: 'Create a token', params: wishes }, (values, context) =>
    makeToken(values, context, 'create'),
  ),
];
