import { read, remove, write } from '../../../../framework/endpoint.ts';
import { tokenParams } from '../../../../framework/token-terms.ts';
import { required, roleName } from '../../params.ts';
import { changes, resets, shows, withTerms } from '../../setting.ts';

const path = 'role/:role_name/token-ttl';

export const readTokenTtl = read(
  path,
  {
    summary: 'Read the lifetime of the tokens',
    params: { role_name: roleName },
    answer: { token_ttl: { type: 'integer' } },
  },
  shows((role) => ({ token_ttl: role.terms.ttl })),
);

export const writeTokenTtl = write(
  path,
  {
    summary: 'Change the lifetime of the tokens',
    params: { role_name: roleName, token_ttl: required(tokenParams.token_ttl) },
  },
  changes(({ token_ttl }, role) => withTerms(role, { token_ttl })),
);

export const resetTokenTtl = remove(
  path,
  { summary: 'Reset the lifetime of the tokens', params: { role_name: roleName } },
  resets((role) => withTerms(role, { token_ttl: 0 })),
);
