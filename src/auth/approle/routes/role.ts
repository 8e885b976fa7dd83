import type { Answer } from '../../../framework/answer.ts';
import { noContent } from '../../../framework/answer.ts';
import { cidrList } from '../../../framework/cidr.ts';
import { list, read, remove, write } from '../../../framework/endpoint.ts';
import { badRequest } from '../../../framework/errors.ts';
import { bool, describe, enumOf, int, older, optional } from '../../../framework/kinds/index.ts';
import { joinOlder, olderParams, olderShown } from '../../../framework/older-terms.ts';
import { changeTerms, seconds, tokenParams } from '../../../framework/token-terms.ts';
import { uuidOf } from '../../../framework/uuid.ts';
import { roleId, roleName } from '../params.ts';
import { dropRole, findRole, newRole, putRole, ROLE_SCHEMA, ROLES, type Role, readRole, roleView } from '../role.ts';

export const listRoles = list(
  'role',
  { summary: 'List the roles', params: {}, entries: ['role/:role_name'] },
  async ({ page }, { store }) => ({ keys: await store.list({ prefix: ROLES, ...page }) }),
);

export const readOneRole = read(
  'role/:role_name',
  { summary: 'Read a role', params: { role_name: roleName }, answer: ROLE_SCHEMA },
  async ({ role_name }, { store }) => ({ data: roleView(await readRole(store, role_name)) }),
);

/** Types that mounts have, which of a role are taken for what they come to. */
const MOUNT_TYPES = { 'default-service': 'service', 'default-batch': 'batch' } as const;

export const writeRole = write(
  'role/:role_name',
  {
    summary: 'Create or change a role',
    description: 'What is not given keeps its value.',
    params: {
      role_name: roleName,
      role_id: describe(optional(roleId), 'what it logs in under; a random UUID where a new one has none'),
      bind_secret_id: describe(optional(bool()), 'whether a login needs a secret id; of a new role true'),
      secret_id_bound_cidrs: describe(optional(cidrList()), 'addresses that may log in; empty for all'),
      bound_cidr_list: older('secret_id_bound_cidrs', optional(cidrList())),
      secret_id_num_uses: describe(optional(int(undefined, { min: 0 })), 'logins of each secret id; 0 for unlimited'),
      secret_id_ttl: describe(optional(seconds), 'lifetime of secret ids; 0 for no end'),
      local_secret_ids: describe(optional(bool()), 'kept for clients of the family; set with a new role only'),
      ...tokenParams,
      token_type: describe(
        optional(enumOf(['', 'default', 'service', 'batch', 'default-service', 'default-batch'])),
        'service, batch, or default for what the mount says',
      ),
      policies: olderParams.policies,
      period: olderParams.period,
    },
    exists: async ({ role_name }, { store }) => (await findRole(store, role_name)) !== undefined,
  },
  async ({ role_name, token_type, ...values }, context): Promise<Answer> => {
    const { store, random, mount } = context;
    const old = await findRole(store, role_name);
    const type =
      token_type === 'default-service' || token_type === 'default-batch' ? MOUNT_TYPES[token_type] : token_type;
    const given = { ...values, token_type: type };
    if (old !== undefined && (given.local_secret_ids ?? old.localSecretIds) !== old.localSecretIds) {
      throw badRequest('local_secret_ids: can be set with a new role only');
    }
    const before = old ?? newRole(given.role_id ?? uuidOf(random(16)), random(16).toString('hex'));
    const role: Role = {
      ...before,
      roleId: given.role_id ?? before.roleId,
      bindSecretId: given.bind_secret_id ?? before.bindSecretId,
      secretIdBoundCidrs: given.secret_id_bound_cidrs ?? given.bound_cidr_list ?? before.secretIdBoundCidrs,
      secretIdNumUses: given.secret_id_num_uses ?? before.secretIdNumUses,
      secretIdTtl: given.secret_id_ttl ?? before.secretIdTtl,
      localSecretIds: given.local_secret_ids ?? before.localSecretIds,
      terms: changeTerms(before.terms, joinOlder(given, given)),
      older: olderShown(before.older, given, given),
    };
    await putRole(context, role_name, old, role);
    const warnings = warningsOf(role, mount.maxTtl);
    return type === token_type ? { warnings } : { warnings: [...warnings, `token_type: of a role, this is "${type}"`] };
  },
);

/** @param maxTtl of the mount, in seconds */
function warningsOf({ terms: { maxTtl: given, period } }: Role, maxTtl: number): readonly string[] {
  return [
    ...(given > maxTtl ? [`token_max_ttl: is more than the mount's maximum of ${maxTtl} s, which holds instead`] : []),
    ...(period > maxTtl ? [`token_period: is more than the mount's maximum of ${maxTtl} s, which holds instead`] : []),
  ];
}

export const deleteRole = remove(
  'role/:role_name',
  { summary: 'Delete a role, and with it all its secret ids', params: { role_name: roleName } },
  async ({ role_name }, { store, mac }) => {
    const role = await findRole(store, role_name);
    if (role !== undefined) dropRole(store, mac, role_name, role);
    return noContent;
  },
);
