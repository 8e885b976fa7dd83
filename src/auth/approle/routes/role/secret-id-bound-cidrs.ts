import { cidrList } from '../../../../framework/cidr.ts';
import { read, remove, write } from '../../../../framework/endpoint.ts';
import { optional } from '../../../../framework/kinds/index.ts';
import { required, roleName } from '../../params.ts';
import { changes, resets, shows } from '../../setting.ts';

const path = 'role/:role_name/secret-id-bound-cidrs';

export const readSecretIdBoundCidrs = read(
  path,
  {
    summary: 'Read the addresses that may log in',
    params: { role_name: roleName },
    answer: { secret_id_bound_cidrs: { type: 'array', items: { type: 'string' } } },
  },
  shows((role) => ({ secret_id_bound_cidrs: role.secretIdBoundCidrs })),
);

export const writeSecretIdBoundCidrs = write(
  path,
  {
    summary: 'Change the addresses that may log in',
    params: { role_name: roleName, secret_id_bound_cidrs: required(optional(cidrList())) },
  },
  changes(({ secret_id_bound_cidrs }) => ({ secretIdBoundCidrs: secret_id_bound_cidrs })),
);

export const resetSecretIdBoundCidrs = remove(
  path,
  { summary: 'Reset the addresses that may log in', params: { role_name: roleName } },
  resets(() => ({ secretIdBoundCidrs: [] })),
);
