import type { Awaitable, StoreReader, StoreWriter } from '../../framework/context.ts';
import { decodeRecord, encodeRecord } from '../../framework/record.ts';
import { History, type Version } from './history.ts';
import { decodePlain, isPlain } from './plain.ts';
import { type Settings, unset } from './settings.ts';

/** What is stored of a secret besides its versions; document 3, "KV secret metadata". */
interface Head extends Settings {
  /** Of this life of the secret: made anew after its removal it has another, and nothing of the old one is reached. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly updated: number;
  /** Number of the latest version; 0 where there is none yet. */
  readonly current: number;
  /** A list, because an object would lose the order of names such as "10". */
  readonly customMetadata: readonly (readonly [name: string, value: string])[];
}

export interface Secret extends Head {
  /** The versions that are kept, without a gap; the last one is the current one. */
  readonly history: History;
  /** The data of version 1 where it still lies in the secret's own record, as an unversioned mount wrote it. */
  readonly inline?: Buffer;
}

/** A version together with its number. */
export interface Numbered {
  readonly number: number;
  readonly version: Version;
}

/** The folder that lists are made of: one record for each secret. */
export const METADATA = 'm/';

export const secretKey = (path: string): string => `${METADATA}${path}`;

/** Where the data of all versions lies. */
const dataFolder = ({ id }: Secret): string => `d/${id}/`;

/** In sixteen digits, as many as a safe integer has: so the oldest come first, and can be purged apart. */
const dataName = (number: number): string => String(number).padStart(16, '0');

/** The data of one version: the JSON text as it arrived, and nothing else. */
export const dataKey = (secret: Secret, number: number): string => dataFolder(secret) + dataName(number);

/** As it is in this snapshot, to be changed. */
export async function findSecret(store: StoreReader, path: string): Promise<Secret | undefined> {
  const record = await store.get(secretKey(path));
  if (record === undefined) return undefined;
  return isPlain(record) ? { ...decodeSecret(record), inline: decodePlain(record).data } : decodeSecret(record);
}

/**
 * As it is in this snapshot, to be read: the work of opening and decoding it is kept while it does not change, so it
 * holds no data. Who changes it would keep it in vain.
 */
export const viewSecret = (store: StoreReader, path: string): Awaitable<Secret | undefined> =>
  store.cached(secretKey(path), decodeSecret);

/** A line feed parts the JSON of the head, which holds none, from the bytes of the history. */
const LINE_FEED = Buffer.from('\n');

function decodeSecret(record: Buffer): Secret {
  if (isPlain(record)) return firstVersion(record);
  const end = record.indexOf(LINE_FEED);
  return { ...decodeRecord<Head>(record.subarray(0, end)), history: new History(record.subarray(end + 1)) };
}

/** What an unversioned mount wrote, as a secret of one version. */
function firstVersion(record: Buffer): Secret {
  const { id, written: created } = decodePlain(record);
  const history = History.none.append({ created }, 0);
  return { ...unset, id, created, updated: created, current: 1, customMetadata: [], history };
}

/** The record of a secret, under `METADATA` and its path. */
export const encodeSecret = ({ history, inline: _, ...head }: Secret): Buffer =>
  Buffer.concat([encodeRecord(head), LINE_FEED, history.bytes]);

/** Stores a secret as it is now. Data that lay in its old record moves to where that of all versions lies. */
export function putSecret(store: StoreWriter, path: string, secret: Secret): void {
  const first = secret.inline === undefined ? undefined : findVersion(secret, 1);
  if (secret.inline !== undefined && first !== undefined && first.version.destroyed !== true) {
    store.put(dataKey(secret, 1), secret.inline);
  }
  store.put(secretKey(path), encodeSecret(secret));
}

/** The stored JSON text of a version that is not gone: at its own key, or still in the record of the secret. */
export async function readData(store: StoreReader, path: string, secret: Secret, number: number): Promise<Buffer> {
  const data = await store.get(dataKey(secret, number));
  if (data !== undefined) return data;
  const record = await store.get(secretKey(path));
  if (record === undefined || !isPlain(record)) throw new Error('a version that is not destroyed has no data');
  return decodePlain(record).data;
}

/** A secret whose versions are deleted, or that has none yet, exists too (4-open-points, KV). */
export async function secretExists({ path }: { readonly path: string }, { store }: { readonly store: StoreReader }) {
  return (await store.get(secretKey(path))) !== undefined;
}

/** Removes a secret with its history; all of its data is out of reach with this transaction. */
export function removeSecret(store: StoreWriter, path: string, secret: Secret): void {
  store.delete(secretKey(path));
  removeOldest(store, secret, secret.history.length);
}

/**
 * Removes the data of the oldest versions, which the record must not show any more: at once where they are few, in the
 * background where they are more than fit a transaction. What is destroyed has none.
 */
export function removeOldest(store: StoreWriter, secret: Secret, count: number): void {
  const end = firstNumber(secret) + count;
  if (count > store.maxWrites) {
    store.purge(dataFolder(secret), dataName(end));
    return;
  }
  for (const { number, version } of numbered(secret)) {
    if (number >= end) break;
    if (version.destroyed !== true) store.delete(dataKey(secret, number));
  }
}

/** Time first, as in UUIDv7 (RFC 9562): what is created together lies together, so less of the store is rewritten. */
export const newId = (now: number, random: (bytes: number) => Buffer): string =>
  now.toString(16).padStart(12, '0') + random(10).toString('hex');

export const newSecret = ({ now, random }: { readonly now: number; random(bytes: number): Buffer }): Secret => ({
  ...unset,
  id: newId(now, random),
  created: now,
  updated: now,
  current: 0,
  history: History.none,
  customMetadata: [],
});

/** Number of the oldest version that is kept; 1 where there is none yet. */
export const firstNumber = ({ current, history }: Secret): number => current - history.length + 1;

/** All versions that are kept, ascending. */
export function* numbered(secret: Secret): Generator<Numbered, void> {
  const first = firstNumber(secret);
  for (let i = 0; i < secret.history.length; i++) {
    const version = secret.history.at(i);
    if (version !== undefined) yield { number: first + i, version };
  }
}

/** The version of this number, the latest for 0; undefined where it does not exist, or not any more. */
export function findVersion(secret: Secret, number: number): Numbered | undefined {
  const wanted = number === 0 ? secret.current : number;
  const version = secret.history.at(wanted - firstNumber(secret));
  return version === undefined ? undefined : { number: wanted, version };
}

export const isDeleted = (version: Version, now: number): boolean =>
  version.deletion !== undefined && version.deletion <= now;

/** Whether its data must not be shown. */
export const isGone = (version: Version, now: number): boolean => version.destroyed === true || isDeleted(version, now);
