import { type Answer, noContent } from '../../../../../framework/answer.ts';
import type { WriteContext } from '../../../../../framework/context.ts';
import { remove, write } from '../../../../../framework/endpoint.ts';
import { givenSecretId, roleName } from '../../../params.ts';
import { knownRole } from '../../../role.ts';
import { dropSecretId, findSecretId, secretIdKey } from '../../../secret-id.ts';

const path = 'role/:role_name/secret-id/destroy';
const spec = {
  summary: 'Destroy a secret id of a role',
  params: { role_name: roleName, secret_id: givenSecretId },
};

async function destroy(
  { role_name, secret_id }: { readonly role_name: string; readonly secret_id: string },
  { store, mac, now }: Pick<WriteContext, 'store' | 'mac' | 'now'>,
): Promise<Answer> {
  const role = await knownRole(store, role_name);
  const found = await findSecretId(store, secretIdKey(mac, role, secret_id), now);
  if (found !== undefined) dropSecretId(store, role, found);
  return noContent;
}

export const destroySecretId = write(path, spec, destroy);
export const removeSecretId = remove(path, spec, destroy);
