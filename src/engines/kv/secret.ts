import type { Awaitable, StoreReader, StoreWriter } from '../../framework/context.ts';
import { decodeRecord, encodeRecord } from '../../framework/record.ts';
import { type Settings, unset } from './settings.ts';

/** One version of a secret but for its data. Times are milliseconds since 1970. */
export interface Version {
  readonly created: number;
  /** The version is deleted from then on, so a time to come is a schedule. */
  readonly deletion?: number;
  readonly destroyed?: true;
}

/** What is stored of a secret besides the data of its versions; document 3, "KV secret metadata". */
export interface Secret extends Settings {
  readonly created: number;
  readonly updated: number;
  /** Number of the latest version; 0 where there is none yet. */
  readonly current: number;
  /** Those that are kept, without a gap; the last one is the current one. */
  readonly versions: readonly Version[];
  /** A list, because an object would lose the order of names such as "10". */
  readonly customMetadata: readonly (readonly [name: string, value: string])[];
}

/** A version together with its number. */
export interface Numbered {
  readonly number: number;
  readonly version: Version;
}

/** The folder that lists are made of: one record for each secret. */
export const METADATA = 'm/';

const metadataKey = (path: string): string => `${METADATA}${path}`;

/** The data of one version: the JSON text as it arrived, and nothing else. */
export const dataKey = (path: string, number: number): string => `d/${path}/${number}`;

/** As it is in this snapshot; only the work of opening and decoding it is kept while it does not change. */
export const findSecret = (store: StoreReader, path: string): Awaitable<Secret | undefined> =>
  store.cached(metadataKey(path), decodeSecret);

const decodeSecret = (plain: Buffer): Secret => decodeRecord<Secret>(plain);

/** A secret whose versions are deleted, or that has none yet, exists too (4-open-points, KV). */
export async function secretExists({ path }: { readonly path: string }, { store }: { readonly store: StoreReader }) {
  return (await findSecret(store, path)) !== undefined;
}

export function putSecret(store: StoreWriter, path: string, secret: Secret): void {
  store.put(metadataKey(path), encodeRecord(secret));
}

/** Removes a secret with its history and all data, in this very transaction: `MAX_VERSIONS` keeps it small enough. */
export function removeSecret(store: StoreWriter, path: string, secret: Secret): void {
  store.delete(metadataKey(path));
  removeData(store, path, numbered(secret));
}

/** Removes the data of versions; what is destroyed has none any more. */
export function removeData(store: StoreWriter, path: string, versions: readonly Numbered[]): void {
  for (const { number, version } of versions) if (version.destroyed !== true) store.delete(dataKey(path, number));
}

export const newSecret = (now: number): Secret => ({
  ...unset,
  created: now,
  updated: now,
  current: 0,
  versions: [],
  customMetadata: [],
});

/** Number of the oldest version that is kept; 1 where there is none yet. */
export const firstNumber = (secret: Secret): number => secret.current - secret.versions.length + 1;

/** All versions that are kept, ascending. */
export function numbered(secret: Secret): readonly Numbered[] {
  const first = firstNumber(secret);
  return secret.versions.map((version, i) => ({ number: first + i, version }));
}

/** The version of this number, the latest for 0; undefined where it does not exist, or not any more. */
export function findVersion(secret: Secret, number: number): Numbered | undefined {
  const wanted = number === 0 ? secret.current : number;
  const version = secret.versions[wanted - firstNumber(secret)];
  return version === undefined ? undefined : { number: wanted, version };
}

export const isDeleted = (version: Version, now: number): boolean =>
  version.deletion !== undefined && version.deletion <= now;

/** Whether its data must not be shown. */
export const isGone = (version: Version, now: number): boolean => version.destroyed === true || isDeleted(version, now);
