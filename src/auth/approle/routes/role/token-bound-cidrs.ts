import { read, remove, write } from '../../../../framework/endpoint.ts';
import { tokenParams } from '../../../../framework/token-terms.ts';
import { required, roleName } from '../../params.ts';
import { changes, resets, shows, withTerms } from '../../setting.ts';

const path = 'role/:role_name/token-bound-cidrs';

export const readTokenBoundCidrs = read(
  path,
  {
    summary: 'Read the addresses that may log in and use the tokens',
    params: { role_name: roleName },
    answer: { token_bound_cidrs: { type: 'array', items: { type: 'string' } } },
  },
  shows((role) => ({ token_bound_cidrs: role.terms.boundCidrs })),
);

export const writeTokenBoundCidrs = write(
  path,
  {
    summary: 'Change the addresses that may log in and use the tokens',
    params: { role_name: roleName, token_bound_cidrs: required(tokenParams.token_bound_cidrs) },
  },
  changes(({ token_bound_cidrs }, role) => withTerms(role, { token_bound_cidrs })),
);

export const resetTokenBoundCidrs = remove(
  path,
  { summary: 'Reset the addresses that may log in and use the tokens', params: { role_name: roleName } },
  resets((role) => withTerms(role, { token_bound_cidrs: [] })),
);
