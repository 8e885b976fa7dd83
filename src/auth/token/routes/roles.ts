import { noContent } from '../../../framework/answer.ts';
import { notFound } from '../../../framework/errors.ts';
import { describe, string } from '../../../framework/kinds/index.ts';
import { list, read, remove, write } from '../../../sys/context.ts';
import { findRole, ROLE_SCHEMA, ROLES, roleParams, roleView, writeRole } from '../role.ts';

const role_name = describe(string(), 'name of the token role');

export const roles = [
  list('roles', { summary: 'List the token roles', params: {} }, async ({ page }, { tx }) => ({
    keys: await tx.list({ prefix: ROLES, ...page }),
  })),

  read(
    'roles/:role_name',
    { summary: 'Read a token role', params: { role_name }, answer: ROLE_SCHEMA },
    async ({ role_name }, { tx }) => {
      const role = await findRole(tx, role_name);
      if (role === undefined) throw notFound();
      return { data: roleView(role) };
    },
  ),

  write(
    'roles/:role_name',
    {
      summary: 'Create a token role, or change what is given of one',
      params: { role_name, ...roleParams },
      exists: async ({ role_name }, { tx }) => (await findRole(tx, role_name)) !== undefined,
    },
    async ({ role_name, ...given }, { tx }) => {
      await writeRole(tx, role_name, given);
      return noContent;
    },
  ),

  remove(
    'roles/:role_name',
    { summary: 'Delete a token role; the tokens it made cannot be renewed any more', params: { role_name } },
    async ({ role_name }, { tx }) => {
      if ((await findRole(tx, role_name)) !== undefined) tx.delete(ROLES + role_name);
      return noContent;
    },
  ),
];
