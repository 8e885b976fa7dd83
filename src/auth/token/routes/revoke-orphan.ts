import { noContent } from '../../../framework/answer.ts';
import { badRequest } from '../../../framework/errors.ts';
import { describe, string } from '../../../framework/kinds/index.ts';
import { write } from '../../../sys/context.ts';
import { revokeAlone } from '../../../tokens/revoke.ts';

export const revokeOrphan = [
  write(
    'revoke-orphan',
    {
      summary: 'Revoke a token alone: what came from it becomes an orphan and lives on',
      params: { token: describe(string(''), 'the token to revoke') },
      sudo: true,
    },
    async ({ token }, { tx, revision }) => {
      if (token === '') throw badRequest('token: is required: give the token to revoke');
      if (!(await revokeAlone(tx, revision, token))) throw badRequest('token: is not valid');
      return noContent;
    },
  ),
];
