import { type Answer, noContent } from '../../../../../framework/answer.ts';
import type { WriteContext } from '../../../../../framework/context.ts';
import { remove, write } from '../../../../../framework/endpoint.ts';
import { string } from '../../../../../framework/kinds/index.ts';
import { roleName } from '../../../params.ts';
import { knownRole } from '../../../role.ts';
import { dropSecretId, knownByAccessor } from '../../../secret-id.ts';

const path = 'role/:role_name/secret-id-accessor/destroy';
const spec = {
  summary: 'Destroy a secret id of a role by its accessor',
  params: { role_name: roleName, secret_id_accessor: string() },
};

async function destroy(
  { role_name, secret_id_accessor }: { readonly role_name: string; readonly secret_id_accessor: string },
  { store, now }: Pick<WriteContext, 'store' | 'now'>,
): Promise<Answer> {
  const role = await knownRole(store, role_name);
  dropSecretId(store, role, await knownByAccessor(store, role, secret_id_accessor, now));
  return noContent;
}

export const destroyByAccessor = write(path, spec, destroy);
export const removeByAccessor = remove(path, spec, destroy);
