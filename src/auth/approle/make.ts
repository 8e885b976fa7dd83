import type { Answer } from '../../framework/answer.ts';
import { cidrList, within } from '../../framework/cidr.ts';
import type { WriteContext } from '../../framework/context.ts';
import type { Values } from '../../framework/endpoint.ts';
import { badRequest } from '../../framework/errors.ts';
import { describe, int, optional, type Schema } from '../../framework/kinds/index.ts';
import { seconds } from '../../framework/token-terms.ts';
import { uuidOf } from '../../framework/uuid.ts';
import { metadata, roleName } from './params.ts';
import { knownRole, type Role } from './role.ts';
import { addSecretId, type SecretId, secretIdKey } from './secret-id.ts';

/** What may be said of a new secret id. */
export const wishes = {
  role_name: roleName,
  metadata,
  cidr_list: describe(cidrList(), 'addresses that may log in with it; within those of the role'),
  token_bound_cidrs: describe(cidrList(), 'addresses for its tokens; within those of the role'),
  num_uses: describe(optional(int(undefined, { min: 0 })), 'logins; at most those of the role, which hold without it'),
  ttl: describe(optional(seconds), 'lifetime; at most that of the role, which holds without it'),
};

export const MADE_SCHEMA: Readonly<Record<string, Schema>> = {
  secret_id: { type: 'string' },
  secret_id_accessor: { type: 'string' },
  secret_id_ttl: { type: 'integer' },
  secret_id_num_uses: { type: 'integer' },
};

/** Stores a secret id of a role, and shows it: the only time. 400 for what the role does not allow. */
export async function makeSecretId(
  given: Values<typeof wishes>,
  value: string,
  { store, mac, now, random, mount }: Pick<WriteContext, 'store' | 'mac' | 'now' | 'random' | 'mount'>,
): Promise<Answer> {
  const role = await knownRole(store, given.role_name);
  if (!role.bindSecretId) throw badRequest('role_name: this role needs no secret ids, as bind_secret_id is false');
  checkBlocks('cidr_list', given.cidr_list, role.secretIdBoundCidrs);
  checkBlocks('token_bound_cidrs', given.token_bound_cidrs, role.terms.boundCidrs);
  const numUses = atMost('num_uses', given.num_uses, role.secretIdNumUses);
  const ttl = Math.min(atMost('ttl', given.ttl, role.secretIdTtl), mount.maxTtl);
  const secret: SecretId = {
    accessor: uuidOf(random(16)),
    numUses,
    ttl,
    created: now,
    updated: now,
    ...(ttl > 0 ? { expires: now + ttl * 1_000 } : {}),
    metadata: [...given.metadata],
    cidrList: given.cidr_list,
    tokenBoundCidrs: given.token_bound_cidrs,
  };
  await addSecretId(store, role, secretIdKey(mac, role, value), secret, now);
  return {
    data: {
      secret_id: value,
      secret_id_accessor: secret.accessor,
      secret_id_ttl: ttl,
      secret_id_num_uses: numUses,
    },
  };
}

/** What was given, or what the role says; 0 is without limit, on both sides. */
function atMost(field: string, given: number | undefined, ofRole: number): number {
  if (given === undefined) return ofRole;
  if (ofRole > 0 && (given === 0 || given > ofRole))
    throw badRequest(`${field}: must not be more than the role allows`);
  return given;
}

function checkBlocks(field: string, given: readonly string[], ofRole: Role['secretIdBoundCidrs']): void {
  if (ofRole.length > 0 && !within(given, ofRole))
    throw badRequest(`${field}: must lie within the addresses of the role`);
}
