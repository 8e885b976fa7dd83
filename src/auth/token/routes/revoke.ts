import { noContent } from '../../../framework/answer.ts';
import { badRequest } from '../../../framework/errors.ts';
import { describe, string } from '../../../framework/kinds/index.ts';
import { write } from '../../../sys/context.ts';
import { revokeValue } from '../../../tokens/revoke.ts';

export const revoke = [
  write(
    'revoke',
    {
      summary: 'Revoke a token and all tokens that came from it',
      params: { token: describe(string(''), 'the token to revoke') },
    },
    async ({ token }, { tx, revision }) => {
      if (token === '') throw badRequest('token: is required: give the token to revoke');
      await revokeValue(tx, revision, token);
      return noContent;
    },
  ),
];
