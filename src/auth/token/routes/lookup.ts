import { badRequest, permissionDenied } from '../../../framework/errors.ts';
import { string } from '../../../framework/kinds/index.ts';
import { read, write } from '../../../sys/context.ts';
import { liveToken, tokenKey } from '../../../tokens/store.ts';
import { describeToken } from '../describe.ts';

export const lookup = [
  write('lookup', { summary: 'Look up a token', params: { token: string('') } }, async ({ token }, { tx }) => {
    if (token === '') throw badRequest('token: give the token to look up');
    const record = await liveToken(tx, tokenKey(tx, token));
    if (record === undefined) throw permissionDenied();
    return { data: describeToken(token, record, tx.now) };
  }),

  read('lookup', { summary: 'Look up the calling token', params: {} }, (_, { bearer, now }) => {
    if (bearer === undefined) throw permissionDenied();
    return { data: describeToken(bearer.value, bearer.record, now) };
  }),
];
