import { write } from '../../../../../framework/endpoint.ts';
import { string } from '../../../../../framework/kinds/index.ts';
import { roleName } from '../../../params.ts';
import { knownRole } from '../../../role.ts';
import { knownByAccessor, SECRET_ID_SCHEMA, secretIdView } from '../../../secret-id.ts';

export const lookUpAccessor = write(
  'role/:role_name/secret-id-accessor/lookup',
  {
    summary: 'Look up a secret id of a role by its accessor',
    params: { role_name: roleName, secret_id_accessor: string() },
    answer: SECRET_ID_SCHEMA,
  },
  async ({ role_name, secret_id_accessor }, { store, now }) => {
    const role = await knownRole(store, role_name);
    return { data: secretIdView(await knownByAccessor(store, role, secret_id_accessor, now)) };
  },
);
