import { read, remove, write } from '../../../../framework/endpoint.ts';
import { tokenParams } from '../../../../framework/token-terms.ts';
import { required, roleName } from '../../params.ts';
import { changes, resets, shows, withTerms } from '../../setting.ts';

const path = 'role/:role_name/token-max-ttl';

export const readTokenMaxTtl = read(
  path,
  {
    summary: 'Read how long the tokens live at most',
    params: { role_name: roleName },
    answer: { token_max_ttl: { type: 'integer' } },
  },
  shows((role) => ({ token_max_ttl: role.terms.maxTtl })),
);

export const writeTokenMaxTtl = write(
  path,
  {
    summary: 'Change how long the tokens live at most',
    params: { role_name: roleName, token_max_ttl: required(tokenParams.token_max_ttl) },
  },
  changes(({ token_max_ttl }, role) => withTerms(role, { token_max_ttl })),
);

export const resetTokenMaxTtl = remove(
  path,
  { summary: 'Reset how long the tokens live at most', params: { role_name: roleName } },
  resets((role) => withTerms(role, { token_max_ttl: 0 })),
);
