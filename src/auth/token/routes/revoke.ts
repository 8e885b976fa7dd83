import { noContent } from '../../../framework/answer.ts';
import { badRequest } from '../../../framework/errors.ts';
import { string } from '../../../framework/kinds/index.ts';
import { write } from '../../../sys/context.ts';
import { revokeToken } from '../../../tokens/revoke.ts';
import { tokenKey } from '../../../tokens/store.ts';

export const revoke = [
  write(
    'revoke',
    { summary: 'Revoke a token and all tokens that came from it', params: { token: string('') } },
    async ({ token }, { tx }) => {
      if (token === '') throw badRequest('token: give the token to revoke');
      await revokeToken(tx, tokenKey(tx, token));
      return noContent;
    },
  ),
];
