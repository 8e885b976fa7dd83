import type { Data } from '../../framework/answer.ts';
import type { StoreReader, StoreWriter } from '../../framework/context.ts';
import { badRequest, ServiceError } from '../../framework/errors.ts';
import type { Schema } from '../../framework/kinds/index.ts';
import { decodeRecord, encodeRecord } from '../../framework/record.ts';
import { dropExpired, dropExpiry, putExpiry } from './expiry.ts';
import { type Role, secretsOf } from './role.ts';

/** A secret id as it is stored, under a keyed hash of its value; the value itself is nowhere. Times in ms since 1970. */
export interface SecretId {
  readonly accessor: string;
  /** Logins that are left; 0: unlimited. */
  readonly numUses: number;
  /** Seconds, as made; 0: it does not expire. */
  readonly ttl: number;
  readonly created: number;
  readonly updated: number;
  readonly expires?: number;
  /** Pairs, as names that a user chose are no names of members here. */
  readonly metadata: readonly (readonly [string, string])[];
  /** Addresses that may log in with it; empty: any that the role allows. */
  readonly cidrList: readonly string[];
  /** Addresses for its tokens; empty: those of the role. */
  readonly tokenBoundCidrs: readonly string[];
}

type Mac = (text: string) => string;
type Owner = Pick<Role, 'folder'>;

/** The key of a secret id of a role: looked up under its owner, another's is not there (known-attacks B12). */
export const secretIdKey = (mac: Mac, { folder }: Owner, value: string): string =>
  `${secretsOf({ folder })}id/${mac(`secret id ${folder} ${value}`)}`;

/** The folder that the accessors of a role are listed from. */
export const accessorsOf = (role: Owner): string => `${secretsOf(role)}accessor/`;

/** A secret id and its key. */
export interface Found {
  readonly key: string;
  readonly record: SecretId;
}

/** One that is good at `now`: what has expired is as if it were not there. */
export function alive(record: Buffer | undefined, now: number): SecretId | undefined {
  if (record === undefined) return undefined;
  const secret = decodeRecord<SecretId>(record);
  return secret.expires !== undefined && secret.expires <= now ? undefined : secret;
}

export async function findSecretId(store: StoreReader, key: string, now: number): Promise<Found | undefined> {
  const record = alive(await store.get(key), now);
  return record === undefined ? undefined : { key, record };
}

async function findByAccessor(
  store: StoreReader,
  role: Owner,
  accessor: string,
  now: number,
): Promise<Found | undefined> {
  // Accessors are UUIDs; anything else is none, and not even looked up.
  if (!/^[0-9a-f-]{36}$/.test(accessor)) return undefined;
  const key = await store.get(accessorsOf(role) + accessor);
  return key === undefined ? undefined : findSecretId(store, decodeRecord<string>(key), now);
}

/** The same; 404 where the role has none of this accessor, whether another role does or not (known-attacks B12). */
export async function knownByAccessor(store: StoreReader, role: Owner, accessor: string, now: number): Promise<Found> {
  const found = await findByAccessor(store, role, accessor, now);
  if (found === undefined) throw new ServiceError(404, ['secret_id_accessor: the role has no such secret id']);
  return found;
}

/** Stores a new secret id, and takes out a few others that have expired. 400 where this one is there already. */
export async function addSecretId(
  store: StoreWriter,
  role: Owner,
  key: string,
  record: SecretId,
  now: number,
): Promise<void> {
  const old = await store.get(key);
  if (alive(old, now) !== undefined) throw badRequest('secret_id: this role has it already');
  if (old !== undefined) dropSecretId(store, role, { key, record: decodeRecord<SecretId>(old) });
  await dropExpired(store, record.accessor, now);
  const { accessor, expires } = record;
  store.put(key, encodeRecord(record));
  store.put(accessorsOf(role) + accessor, encodeRecord(key));
  if (expires !== undefined) putExpiry(store, { expires, accessor, keys: [key, accessorsOf(role) + accessor] });
}

export function dropSecretId(store: StoreWriter, role: Owner, { key, record }: Found): void {
  const { accessor, expires } = record;
  store.delete(key);
  store.delete(accessorsOf(role) + accessor);
  if (expires !== undefined) dropExpiry(store, { expires, accessor });
}

/** Takes one login; the last one ends the secret id. */
export function useSecretId(store: StoreWriter, role: Owner, found: Found, now: number): void {
  const { key, record } = found;
  if (record.numUses === 0) return;
  if (record.numUses === 1) dropSecretId(store, role, found);
  else store.put(key, encodeRecord({ ...record, numUses: record.numUses - 1, updated: now }));
}

const time = (millis: number): string => new Date(millis).toISOString();

/** As the family shows no time. */
const NO_TIME = '0001-01-01T00:00:00Z';

export const secretIdView = ({ record }: Found): Data => ({
  secret_id_accessor: record.accessor,
  secret_id_num_uses: record.numUses,
  secret_id_ttl: record.ttl,
  creation_time: time(record.created),
  expiration_time: record.expires === undefined ? NO_TIME : time(record.expires),
  last_updated_time: time(record.updated),
  metadata: Object.fromEntries(record.metadata),
  cidr_list: record.cidrList,
  token_bound_cidrs: record.tokenBoundCidrs,
});

const text: Schema = { type: 'string' };
export const SECRET_ID_SCHEMA: Readonly<Record<string, Schema>> = {
  secret_id_accessor: text,
  secret_id_num_uses: { type: 'integer' },
  secret_id_ttl: { type: 'integer' },
  creation_time: text,
  expiration_time: text,
  last_updated_time: text,
  metadata: { type: 'object', additionalProperties: text },
  cidr_list: { type: 'array', items: text },
  token_bound_cidrs: { type: 'array', items: text },
};
