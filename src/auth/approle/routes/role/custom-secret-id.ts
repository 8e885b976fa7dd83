import { write } from '../../../../framework/endpoint.ts';
import { describe } from '../../../../framework/kinds/index.ts';
import { MADE_SCHEMA, makeSecretId, wishes } from '../../make.ts';
import { givenSecretId } from '../../params.ts';

export const addCustomSecretId = write(
  'role/:role_name/custom-secret-id',
  {
    summary: 'Give a role a secret id of your choice',
    params: { ...wishes, secret_id: describe(givenSecretId, 'what cannot be guessed') },
    answer: MADE_SCHEMA,
  },
  ({ secret_id, ...values }, context) => makeSecretId(values, secret_id, context),
);
