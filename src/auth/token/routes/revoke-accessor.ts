import { noContent } from '../../../framework/answer.ts';
import { write } from '../../../sys/context.ts';
import { keyOfAccessor } from '../../../tokens/accessor.ts';
import { revokeToken } from '../../../tokens/revoke.ts';
import { ACCESSOR, givenAccessor } from '../by-accessor.ts';

export const revokeAccessor = [
  write(
    'revoke-accessor',
    { summary: 'Revoke a token, by its accessor, and all tokens that came from it', params: { accessor: ACCESSOR } },
    async ({ accessor }, { tx }) => {
      const key = await keyOfAccessor(tx, givenAccessor(accessor));
      if (key === undefined) return { warnings: ['accessor: there is no token of this accessor'] };
      await revokeToken(tx, key);
      return noContent;
    },
  ),
];
