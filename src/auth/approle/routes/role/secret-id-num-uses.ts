import { read, remove, write } from '../../../../framework/endpoint.ts';
import { int } from '../../../../framework/kinds/index.ts';
import { roleName } from '../../params.ts';
import { changes, resets, shows } from '../../setting.ts';

const path = 'role/:role_name/secret-id-num-uses';

export const readSecretIdNumUses = read(
  path,
  {
    summary: 'Read the logins of each secret id that is made from now on',
    params: { role_name: roleName },
    answer: { secret_id_num_uses: { type: 'integer' } },
  },
  shows((role) => ({ secret_id_num_uses: role.secretIdNumUses })),
);

export const writeSecretIdNumUses = write(
  path,
  {
    summary: 'Change the logins of each secret id that is made from now on',
    params: { role_name: roleName, secret_id_num_uses: int(undefined, { min: 0 }) },
  },
  changes(({ secret_id_num_uses }) => ({ secretIdNumUses: secret_id_num_uses })),
);

export const resetSecretIdNumUses = remove(
  path,
  { summary: 'Reset the logins of each secret id that is made from now on', params: { role_name: roleName } },
  resets(() => ({ secretIdNumUses: 0 })),
);
