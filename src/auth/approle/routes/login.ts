import type { Answer } from '../../../framework/answer.ts';
import { contains, within } from '../../../framework/cidr.ts';
import type { WriteContext } from '../../../framework/context.ts';
import { write } from '../../../framework/endpoint.ts';
import { InvalidCredentials } from '../../../framework/errors.ts';
import { describe } from '../../../framework/kinds/index.ts';
import { decodeRecord } from '../../../framework/record.ts';
import { roleId, secretId } from '../params.ts';
import { decodeRole, ROLES, type Role, type RoleIdRecord, renewalOf, roleIdKey } from '../role.ts';
import { alive, type Found, secretIdKey, useSecretId } from '../secret-id.ts';

const INVALID = 'invalid role or secret ID';

export const login = write(
  'login',
  {
    summary: 'Log in as a role',
    params: { role_id: roleId, secret_id: describe(secretId, 'where the role has bind_secret_id set') },
    access: 'none',
    login: { alias: ({ role_id }) => role_id, refusal: INVALID },
  },
  async ({ role_id, secret_id }, context): Promise<Answer> => {
    const { store, now, peer } = context;
    const { name, role, found } = await presented(role_id, secret_id, context);
    if (role === undefined) throw new InvalidCredentials(INVALID, false);
    const secret = role.bindSecretId ? found : undefined;
    const bound = secret?.record.tokenBoundCidrs ?? [];
    const terms = bound.length === 0 ? role.terms : { ...role.terms, boundCidrs: bound };
    const allowed =
      mayLogIn(role, found, peer) && narrows(bound, role.terms.boundCidrs) && holds(terms.boundCidrs, peer);
    if (!allowed) throw new InvalidCredentials(INVALID, true);
    if (secret !== undefined) useSecretId(store, role, secret, now);
    const metadata = new Map([...(secret?.record.metadata ?? []), ['role_name', name] as const]);
    return {
      login: {
        alias: role_id,
        aliasMetadata: metadata,
        displayName: '',
        metadata,
        terms,
        renewal: renewalOf(name, role),
      },
    };
  },
);

interface Presented {
  readonly name: string;
  readonly role: Role | undefined;
  /** The secret id, where the role has it and it has not expired. */
  readonly found: Found | undefined;
}

const NOBODY: RoleIdRecord = { name: '', folder: 'none' };

/** What is stored of those who log in. Where there is no such role, the same number of reads finds nothing. */
async function presented(
  id: string,
  secret: string,
  { store, mac, now }: Pick<WriteContext, 'store' | 'mac' | 'now'>,
): Promise<Presented> {
  const index = await store.get(roleIdKey(mac, id));
  const owner = index === undefined ? NOBODY : decodeRecord<RoleIdRecord>(index);
  const key = secretIdKey(mac, owner, secret);
  const [role, found] = await store.getMany([ROLES + owner.name, key]);
  const record = alive(found, now);
  const known = role && decodeRole(role);
  // No two role ids differ in letter case alone, yet each is one spelling.
  if (known?.roleId !== id) return { name: '', role: undefined, found: undefined };
  return { name: owner.name, role: known, found: record && { key, record } };
}

/** The secret id is good where one is wanted, and who asks is at an address that it and the role allow now. */
function mayLogIn({ bindSecretId, secretIdBoundCidrs }: Role, found: Found | undefined, peer: string): boolean {
  if (!holds(secretIdBoundCidrs, peer)) return false;
  if (!bindSecretId) return true;
  if (found === undefined) return false;
  const { cidrList } = found.record;
  return holds(cidrList, peer) && narrows(cidrList, secretIdBoundCidrs);
}

/** Whether the blocks of a secret id still lie in those of its role, which may have been narrowed since. */
const narrows = (blocks: readonly string[], ofRole: readonly string[]): boolean =>
  ofRole.length === 0 || within(blocks, ofRole);

const holds = (blocks: readonly string[], peer: string): boolean => blocks.length === 0 || contains(blocks, peer);
