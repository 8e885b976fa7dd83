import { noContent } from '../../../../../framework/answer.ts';
import { write } from '../../../../../framework/endpoint.ts';
import { givenSecretId, roleName } from '../../../params.ts';
import { knownRole } from '../../../role.ts';
import { findSecretId, SECRET_ID_SCHEMA, secretIdKey, secretIdView } from '../../../secret-id.ts';

export const lookUpSecretId = write(
  'role/:role_name/secret-id/lookup',
  {
    summary: 'Look up a secret id of a role; 204 where it is none',
    params: { role_name: roleName, secret_id: givenSecretId },
    answer: SECRET_ID_SCHEMA,
  },
  async ({ role_name, secret_id }, { store, mac, now }) => {
    const role = await knownRole(store, role_name);
    const found = await findSecretId(store, secretIdKey(mac, role, secret_id), now);
    return found === undefined ? noContent : { data: secretIdView(found) };
  },
);
