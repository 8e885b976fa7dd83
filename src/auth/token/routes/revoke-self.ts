import { noContent } from '../../../framework/answer.ts';
import { write } from '../../../sys/context.ts';
import { revocableKey, revokeToken } from '../../../tokens/revoke.ts';

export const revokeSelf = [
  write(
    'revoke-self',
    { summary: 'Revoke the calling token and all tokens that came from it', params: {} },
    async (_, { tx, bearer }) => {
      if (bearer !== undefined) await revokeToken(tx, revocableKey(tx, bearer.value));
      return noContent;
    },
  ),
];
