import { list, write } from '../../../../framework/endpoint.ts';
import { uuidOf } from '../../../../framework/uuid.ts';
import { MADE_SCHEMA, makeSecretId, wishes } from '../../make.ts';
import { roleName } from '../../params.ts';
import { readRole } from '../../role.ts';
import { accessorsOf } from '../../secret-id.ts';

export const generateSecretId = write(
  'role/:role_name/secret-id',
  { summary: 'Make a secret id of a role', params: wishes, answer: MADE_SCHEMA },
  (values, context) => makeSecretId(values, uuidOf(context.random(16)), context),
);

export const listSecretIds = list(
  'role/:role_name/secret-id',
  { summary: 'List the accessors of the secret ids of a role', params: { role_name: roleName } },
  async ({ role_name, page }, { store }) => {
    const role = await readRole(store, role_name);
    return { keys: await store.list({ prefix: accessorsOf(role), ...page }) };
  },
);
