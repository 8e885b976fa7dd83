import { read, write } from '../../../../framework/endpoint.ts';
import { roleId, roleName } from '../../params.ts';
import { changes, shows } from '../../setting.ts';

const path = 'role/:role_name/role-id';

export const readRoleId = read(
  path,
  {
    summary: 'Read what a role logs in under',
    params: { role_name: roleName },
    answer: { role_id: { type: 'string' } },
  },
  shows((role) => ({ role_id: role.roleId })),
);

export const writeRoleId = write(
  path,
  { summary: 'Change what a role logs in under', params: { role_name: roleName, role_id: roleId } },
  changes(({ role_id }) => ({ roleId: role_id })),
);
