import { read, remove, write } from '../../../../framework/endpoint.ts';
import { tokenParams } from '../../../../framework/token-terms.ts';
import { required, roleName } from '../../params.ts';
import { changes, resets, shows, withTerms } from '../../setting.ts';

const path = 'role/:role_name/token-num-uses';

export const readTokenNumUses = read(
  path,
  {
    summary: 'Read the uses of each token',
    params: { role_name: roleName },
    answer: { token_num_uses: { type: 'integer' } },
  },
  shows((role) => ({ token_num_uses: role.terms.numUses })),
);

export const writeTokenNumUses = write(
  path,
  {
    summary: 'Change the uses of each token',
    params: { role_name: roleName, token_num_uses: required(tokenParams.token_num_uses) },
  },
  changes(({ token_num_uses }, role) => withTerms(role, { token_num_uses })),
);

export const resetTokenNumUses = remove(
  path,
  { summary: 'Reset the uses of each token', params: { role_name: roleName } },
  resets((role) => withTerms(role, { token_num_uses: 0 })),
);
