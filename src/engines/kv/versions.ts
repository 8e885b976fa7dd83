import type { Answer } from '../../framework/answer.ts';
import type { WriteContext } from '../../framework/context.ts';
import { tooLarge } from '../../framework/errors.ts';
import { describeVersion } from './answers.ts';
import type { Version } from './history.ts';
import { requireDataSize } from './params.ts';
import { dataKey, findSecret, firstNumber, isDeleted, putSecret, removeOldest, type Secret } from './secret.ts';
import { deletionTime, keptVersions, type Settings } from './settings.ts';

/** What one transaction can write (64 MiB) but for the records around the data. */
const MAX_WRITTEN_BYTES = 64 * 1024 * 1024 - 64 * 1024;

/**
 * Writes the next version of a secret, and destroys the oldest ones where there are too many (document 3, "States and
 * transitions").
 * @param data UTF-8 of the JSON text that reads will show
 * @returns the answer of "Create/update secret"
 * @throws ServiceError 413 when the data, merged or not, is too large
 */
export function writeVersion(
  { store, now }: WriteContext,
  path: string,
  secret: Secret,
  engine: Settings,
  data: Buffer,
): Answer {
  requireDataSize(data);
  if (data.length + (secret.inline?.length ?? 0) > MAX_WRITTEN_BYTES) {
    throw tooLarge('data: too large to be written together with version 1, which moves now: change the metadata first');
  }
  const version = { created: now, ...scheduled(deletionTime(engine, secret, now)) };
  const number = secret.current + 1;
  const excess = Math.max(0, secret.history.length + 1 - keptVersions(engine, secret));
  removeOldest(store, secret, excess);
  store.put(dataKey(secret, number), data);
  putSecret(store, path, { ...secret, updated: now, current: number, history: secret.history.append(version, excess) });
  return { data: describeVersion(secret, { number, version }) };
}

/** The member `deletion` of a version, where it has one. */
export const scheduled = (deletion: number | undefined): { readonly deletion?: number } =>
  deletion === undefined ? {} : { deletion };

/**
 * Changes the versions of these numbers that a secret has and that are not destroyed; all others, and a secret that does
 * not exist, are passed over (4-open-points, KV). Where nothing changes nothing is written.
 * @returns where the data of those that have changed lies
 */
export async function changeVersions(
  { store }: Pick<WriteContext, 'store'>,
  path: string,
  numbers: (secret: Secret) => readonly number[],
  change: (version: Version, secret: Secret) => Version,
): Promise<readonly string[]> {
  const secret = await findSecret(store, path);
  if (secret === undefined) return [];
  const first = firstNumber(secret);
  const changes = new Map<number, Version>();
  for (const number of numbers(secret)) {
    const version = secret.history.at(number - first);
    if (version === undefined || version.destroyed === true) continue;
    const next = change(version, secret);
    if (next !== version) changes.set(number - first, next);
  }
  if (changes.size > 0) putSecret(store, path, { ...secret, history: secret.history.replace(changes) });
  return [...changes.keys()].map((index) => dataKey(secret, first + index));
}

/** Marks a version deleted; one that is so already keeps its first time. */
export const deletedAt =
  (now: number) =>
  (version: Version): Version =>
    isDeleted(version, now) ? version : { ...version, deletion: now };
