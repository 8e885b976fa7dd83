import { identityPoliciesOf } from '../../../core/principal.ts';
import { badRequest, permissionDenied } from '../../../framework/errors.ts';
import { describe, string } from '../../../framework/kinds/index.ts';
import { read, write } from '../../../sys/context.ts';
import { findToken } from '../../../tokens/find.ts';
import { describeToken } from '../describe.ts';

export const lookup = [
  write(
    'lookup',
    { summary: 'Look up a token', params: { token: describe(string(''), 'the token to look up') } },
    async ({ token }, context) => {
      if (token === '') throw badRequest('token: is required: give the token to look up');
      const found = await findToken(context.tx, context.revision, token);
      if (found === undefined) throw permissionDenied();
      const { record } = found;
      return {
        data: describeToken(token, record, await identityPoliciesOf(context.tx, context.revision, record), context.now),
      };
    },
  ),

  read('lookup', { summary: 'Look up the calling token', params: {} }, (_, { bearer, identityPolicies, now }) => {
    if (bearer === undefined) throw permissionDenied();
    return { data: describeToken(bearer.value, bearer.record, identityPolicies, now) };
  }),
];
