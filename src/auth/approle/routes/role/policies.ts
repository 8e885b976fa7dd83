import type { Values } from '../../../../framework/endpoint.ts';
import { read, remove, write } from '../../../../framework/endpoint.ts';
import { badRequest } from '../../../../framework/errors.ts';
import { olderParams } from '../../../../framework/older-terms.ts';
import { tokenParams } from '../../../../framework/token-terms.ts';
import { roleName } from '../../params.ts';
import { changes, olderNamed, resets, shows, withTerms } from '../../setting.ts';

const path = 'role/:role_name/policies';

const given = { token_policies: tokenParams.token_policies, policies: olderParams.policies };

export const readPolicies = read(
  path,
  {
    summary: 'Read the policies of the tokens',
    params: { role_name: roleName },
    answer: { token_policies: { type: 'array', items: { type: 'string' } } },
  },
  shows(({ terms, older }) => ({
    token_policies: terms.policies,
    policies: older.includes('policies') ? terms.policies : undefined,
  })),
);

export const writePolicies = write(
  path,
  { summary: 'Change the policies of the tokens', params: { role_name: roleName, ...given } },
  changes(({ token_policies, policies }: { readonly role_name: string } & Values<typeof given>, role) => {
    const chosen = token_policies ?? policies;
    if (chosen === undefined) throw badRequest('token_policies: is required');
    return { ...withTerms(role, { token_policies: chosen }), ...olderNamed(role, 'policies', policies !== undefined) };
  }),
);

export const resetPolicies = remove(
  path,
  { summary: 'Take all policies from the tokens', params: { role_name: roleName } },
  resets((role) => ({ ...withTerms(role, { token_policies: [] }), ...olderNamed(role, 'policies', false) })),
);
