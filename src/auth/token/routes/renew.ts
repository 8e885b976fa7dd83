import { badRequest } from '../../../framework/errors.ts';
import { describe, string } from '../../../framework/kinds/index.ts';
import { seconds } from '../../../framework/token-terms.ts';
import { write } from '../../../sys/context.ts';
import { findToken } from '../../../tokens/find.ts';
import { renewToken } from '../renew.ts';

export const INCREMENT = describe(seconds, 'how long it is to live from now on; 0 for as long as the last time');

export const renew = [
  write(
    'renew',
    { summary: 'Renew a token', params: { token: describe(string(''), 'the token to renew'), increment: INCREMENT } },
    async ({ token, increment }, context) => {
      if (token === '') throw badRequest('token: is required: give the token to renew');
      const found = await findToken(context.tx, context.revision, token);
      if (found === undefined) throw badRequest('token: is not valid');
      return renewToken(context, found, token, increment);
    },
  ),
];
