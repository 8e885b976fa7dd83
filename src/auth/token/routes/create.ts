import { badRequest } from '../../../framework/errors.ts';
import { describe, string } from '../../../framework/kinds/index.ts';
import { write } from '../../../sys/context.ts';
import { makeToken, wishes } from '../make.ts';
import { findRole } from '../role.ts';

export const create = [
  write('create', { summary: 'Create a token', params: wishes }, (values, context) =>
    makeToken(values, context, { endpoint: 'create', orphan: false, role: undefined }),
  ),

  write(
    'create/:role_name',
    {
      summary: 'Create a token by a token role',
      params: { role_name: describe(string(), 'name of the token role'), ...wishes },
    },
    async ({ role_name, ...values }, context) => {
      const role = await findRole(context.tx, role_name);
      if (role === undefined) throw badRequest('role_name: there is no token role of this name');
      return makeToken(values, context, { endpoint: `create/${role.name}`, orphan: false, role });
    },
  ),
];
