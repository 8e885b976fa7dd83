import { write } from '../../../sys/context.ts';
import { makeToken, wishes } from '../make.ts';

export const createOrphan = [
  write('create-orphan', { summary: 'Create a token without a parent', params: wishes }, (values, context) =>
    makeToken(values, context, { endpoint: 'create-orphan', orphan: true, role: undefined }),
  ),
];
