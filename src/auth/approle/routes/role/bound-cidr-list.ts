import { cidrList } from '../../../../framework/cidr.ts';
import { read, remove, write } from '../../../../framework/endpoint.ts';
import { optional } from '../../../../framework/kinds/index.ts';
import { required, roleName } from '../../params.ts';
import { changes, resets, shows } from '../../setting.ts';

const path = 'role/:role_name/bound-cidr-list';

export const readBoundCidrList = read(
  path,
  {
    summary: 'Read the addresses that may log in, under the older name',
    params: { role_name: roleName },
    answer: { bound_cidr_list: { type: 'array', items: { type: 'string' } } },
  },
  shows((role) => ({ bound_cidr_list: role.secretIdBoundCidrs })),
);

export const writeBoundCidrList = write(
  path,
  {
    summary: 'Change the addresses that may log in, under the older name',
    params: { role_name: roleName, bound_cidr_list: required(optional(cidrList())) },
  },
  changes(({ bound_cidr_list }) => ({ secretIdBoundCidrs: bound_cidr_list })),
);

export const resetBoundCidrList = remove(
  path,
  { summary: 'Reset the addresses that may log in, under the older name', params: { role_name: roleName } },
  resets(() => ({ secretIdBoundCidrs: [] })),
);
