import { read, remove, write } from '../../../../framework/endpoint.ts';
import { optional } from '../../../../framework/kinds/index.ts';
import { seconds } from '../../../../framework/token-terms.ts';
import { required, roleName } from '../../params.ts';
import { changes, resets, shows } from '../../setting.ts';

const path = 'role/:role_name/secret-id-ttl';

export const readSecretIdTtl = read(
  path,
  {
    summary: 'Read the lifetime of secret ids that are made from now on',
    params: { role_name: roleName },
    answer: { secret_id_ttl: { type: 'integer' } },
  },
  shows((role) => ({ secret_id_ttl: role.secretIdTtl })),
);

export const writeSecretIdTtl = write(
  path,
  {
    summary: 'Change the lifetime of secret ids that are made from now on',
    params: { role_name: roleName, secret_id_ttl: required(optional(seconds)) },
  },
  changes(({ secret_id_ttl }) => ({ secretIdTtl: secret_id_ttl })),
);

export const resetSecretIdTtl = remove(
  path,
  { summary: 'Reset the lifetime of secret ids that are made from now on', params: { role_name: roleName } },
  resets(() => ({ secretIdTtl: 0 })),
);
