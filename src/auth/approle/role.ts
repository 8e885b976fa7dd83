import type { Data } from '../../framework/answer.ts';
import type { StoreReader, StoreWriter } from '../../framework/context.ts';
import { badRequest, notFound, ServiceError } from '../../framework/errors.ts';
import { foldCase } from '../../framework/fold-case.ts';
import type { Schema } from '../../framework/kinds/index.ts';
import { lockoutKey } from '../../framework/lockout.ts';
import { type OlderName, olderView } from '../../framework/older-terms.ts';
import { decodeRecord, encodeRecord } from '../../framework/record.ts';
import { NO_TERMS, TERMS_SCHEMA, type TokenTerms, termsView } from '../../framework/token-terms.ts';

/** A role as it is stored, under its name in lower case. */
export interface Role {
  readonly roleId: string;
  /** Names the folder of its secret ids, unlike that of any other role, also of a later one of the same name. */
  readonly folder: string;
  readonly bindSecretId: boolean;
  /** Addresses that may log in, as `cidrList` gives them; empty: any. */
  readonly secretIdBoundCidrs: readonly string[];
  /** Of secret ids that are made from now on; 0: unlimited. */
  readonly secretIdNumUses: number;
  /** The same, seconds; 0: they do not expire. */
  readonly secretIdTtl: number;
  readonly localSecretIds: boolean;
  readonly terms: TokenTerms;
  /** Older names of parameters that its owner used. */
  readonly older: readonly OlderName[];
}

/** What a role is where nothing is said. */
export const newRole = (roleId: string, folder: string): Role => ({
  roleId,
  folder,
  bindSecretId: true,
  secretIdBoundCidrs: [],
  secretIdNumUses: 0,
  secretIdTtl: 0,
  localSecretIds: false,
  terms: NO_TERMS,
  older: [],
});

/** The folder that roles are listed from. */
export const ROLES = 'role/';

type Mac = (text: string) => string;

/** Which role logs in under a role id. */
export type RoleIdRecord = Pick<Role, 'folder'> & { readonly name: string };

/** Where that is stored: no two roles have ids that differ in letter case alone, which would be one alias of one entity. */
export const roleIdKey = (mac: Mac, roleId: string): string => `role-id/${mac(`role id ${foldCase(roleId)}`)}`;

export const decodeRole = (record: Buffer): Role => decodeRecord<Role>(record);

export async function findRole(store: Pick<StoreReader, 'get'>, name: string): Promise<Role | undefined> {
  const record = await store.get(ROLES + name);
  return record === undefined ? undefined : decodeRole(record);
}

/** A role that is read: 404 where there is none. */
export async function readRole(store: StoreReader, name: string): Promise<Role> {
  const role = await findRole(store, name);
  if (role === undefined) throw notFound();
  return role;
}

/** A role that something is done with: 404 where there is none. */
export async function knownRole(store: StoreReader, name: string): Promise<Role> {
  const role = await findRole(store, name);
  if (role === undefined) throw new ServiceError(404, ['role_name: there is no such role']);
  return role;
}

/**
 * Stores a role in place of what it was. 400 where another logs in under its role id, or where it would let in anybody
 * who knows that id, from anywhere.
 */
export async function putRole(
  { store, mac }: { readonly store: StoreWriter; readonly mac: Mac },
  name: string,
  old: Role | undefined,
  role: Role,
): Promise<void> {
  if (!role.bindSecretId && role.secretIdBoundCidrs.length === 0 && role.terms.boundCidrs.length === 0) {
    throw badRequest('bind_secret_id, secret_id_bound_cidrs, token_bound_cidrs: one of them must be set');
  }
  if (role.roleId !== old?.roleId) {
    const key = roleIdKey(mac, role.roleId);
    const taken = await store.get(key);
    if (taken !== undefined && decodeRecord<RoleIdRecord>(taken).folder !== role.folder) {
      throw badRequest('role_id: is in use already, where letter case does not count');
    }
    if (old !== undefined) dropRoleId(store, mac, old);
    const record: RoleIdRecord = { name, folder: role.folder };
    store.put(key, encodeRecord(record));
  }
  store.put(ROLES + name, encodeRecord(role));
}

/** Removes a role: it logs nobody in any more, and its secret ids are out of reach at once, however many they are. */
export function dropRole(store: StoreWriter, mac: Mac, name: string, role: Role): void {
  store.delete(ROLES + name);
  dropRoleId(store, mac, role);
  store.purge(secretsOf(role));
}

function dropRoleId(store: StoreWriter, mac: Mac, { roleId }: Role): void {
  store.delete(roleIdKey(mac, roleId));
  store.delete(lockoutKey(mac, roleId));
}

/** The folder of all that belongs to the secret ids of a role. */
export const secretsOf = ({ folder }: Pick<Role, 'folder'>): string => `secret/${folder}/`;

/** What the tokens of a login are renewed by: the name, which holds no blank, and which role of that name it was. */
export const renewalOf = (name: string, { folder }: Role): string => `${name} ${folder}`;

/** The terms of the role as they are now. 400 where it is gone, also where there is another of its name. */
export async function renewedTerms(store: Pick<StoreReader, 'get'>, renewal: string): Promise<TokenTerms> {
  const [name = ''] = renewal.split(' ', 1);
  const role = await findRole(store, name);
  if (role === undefined || renewalOf(name, role) !== renewal) {
    throw badRequest('the role of this token is no more: log in as another');
  }
  return role.terms;
}

export const roleView = (role: Role): Data => ({
  bind_secret_id: role.bindSecretId,
  secret_id_bound_cidrs: role.secretIdBoundCidrs,
  secret_id_num_uses: role.secretIdNumUses,
  secret_id_ttl: role.secretIdTtl,
  local_secret_ids: role.localSecretIds,
  ...termsView(role.terms),
  ...olderView(role.older, role.terms),
});

export const ROLE_SCHEMA: Readonly<Record<string, Schema>> = {
  bind_secret_id: { type: 'boolean' },
  secret_id_bound_cidrs: { type: 'array', items: { type: 'string' } },
  secret_id_num_uses: { type: 'integer' },
  secret_id_ttl: { type: 'integer' },
  local_secret_ids: { type: 'boolean' },
  ...TERMS_SCHEMA,
};
