import { noContent } from '../../../framework/answer.ts';
import { write } from '../../../sys/context.ts';
import { revokeValue } from '../../../tokens/revoke.ts';

export const revokeSelf = [
  write(
    'revoke-self',
    { summary: 'Revoke the calling token and all tokens that came from it', params: {} },
    async (_, { tx, revision, bearer }) => {
      if (bearer !== undefined) await revokeValue(tx, revision, bearer.value);
      return noContent;
    },
  ),
];
