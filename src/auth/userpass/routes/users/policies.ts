import { noContent } from '../../../../framework/answer.ts';
import { write } from '../../../../framework/endpoint.ts';
import { badRequest } from '../../../../framework/errors.ts';
import { joinOlder, olderParams, olderShown } from '../../../../framework/older-terms.ts';
import { changeTerms, NOT_GIVEN, tokenParams } from '../../../../framework/token-terms.ts';
import { knownUser, putUser, username } from '../../user.ts';

export const changePolicies = write(
  'users/:username/policies',
  {
    summary: 'Change the policies of a user',
    params: { username, token_policies: tokenParams.token_policies, policies: olderParams.policies },
  },
  async ({ username, token_policies, policies }, { store }) => {
    if (token_policies === undefined && policies === undefined) throw badRequest('token_policies: is required');
    const user = await knownUser(store, username);
    const given = { ...NOT_GIVEN, token_policies };
    putUser(store, username, {
      ...user,
      terms: changeTerms(user.terms, joinOlder(given, { policies })),
      older: olderShown(user.older, given, { policies }),
    });
    return noContent;
  },
);
