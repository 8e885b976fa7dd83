import { read } from '../../../../framework/endpoint.ts';
import { roleName } from '../../params.ts';
import { shows } from '../../setting.ts';

export const readLocalSecretIds = read(
  'role/:role_name/local-secret-ids',
  {
    summary: 'Read whether secret ids are said to be of one cluster; there is one',
    params: { role_name: roleName },
    answer: { local_secret_ids: { type: 'boolean' } },
  },
  shows((role) => ({ local_secret_ids: role.localSecretIds })),
);
