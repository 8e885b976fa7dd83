import { read, remove, write } from '../../../../framework/endpoint.ts';
import { bool } from '../../../../framework/kinds/index.ts';
import { roleName } from '../../params.ts';
import { changes, resets, shows } from '../../setting.ts';

const path = 'role/:role_name/bind-secret-id';

export const readBindSecretId = read(
  path,
  {
    summary: 'Read whether a login needs a secret id',
    params: { role_name: roleName },
    answer: { bind_secret_id: { type: 'boolean' } },
  },
  shows((role) => ({ bind_secret_id: role.bindSecretId })),
);

export const writeBindSecretId = write(
  path,
  { summary: 'Change whether a login needs a secret id', params: { role_name: roleName, bind_secret_id: bool() } },
  changes(({ bind_secret_id }) => ({ bindSecretId: bind_secret_id })),
);

export const resetBindSecretId = remove(
  path,
  { summary: 'Reset whether a login needs a secret id', params: { role_name: roleName } },
  resets(() => ({ bindSecretId: true })),
);
