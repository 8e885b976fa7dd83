import { MAX_WRITES, type Mount } from '../../framework/context.ts';
import { badRequest, tooLarge } from '../../framework/errors.ts';
import { describe, duration, int, intList, type Kind, string } from '../../framework/kinds/index.ts';

/** So many versions of a secret are kept at most: each write and each look at its metadata has to bear the history. */
export const MAX_VERSIONS = 100_000;

export const path = describe(string(), 'path of the secret within the mount');

export const version = describe(int(0, { min: 0 }), 'the version to read; 0 for the latest');

export const maxVersions = describe(int(undefined, { min: 0, max: MAX_VERSIONS }), 'versions kept; 0 is unset');

const numbers = intList();

/** Numbers of versions, each once: at least one, and so many that the data of all can be removed in one transaction. */
export const versions: Kind<readonly number[]> = describe(
  {
    ...numbers,
    parse(field, value) {
      const given = [...new Set(numbers.parse(field, value))];
      if (given.length === 0) throw badRequest(`${field}: must name at least one version, such as [1, 2]`);
      if (given.length > MAX_WRITES) throw badRequest(`${field}: must name at most ${MAX_WRITES} versions at once`);
      return given;
    },
  },
  `the versions by number, at most ${MAX_WRITES}; those that do not exist are passed over`,
);

const anyDuration = duration();

/** A lifetime of versions in milliseconds; only the engine's may be negative (4-open-points, KV). */
export const lifetime: Kind<number> = {
  ...anyDuration,
  parse(field, value) {
    const given = anyDuration.parse(field, value);
    if (given < 0) throw badRequest(`${field}: must not be negative; "0s" clears it`);
    return given;
  },
};

/** @throws ServiceError 400 when nothing can be written there: such a path names a folder */
export function requireSecretPath(path: string): void {
  if (path === '' || path.endsWith('/')) throw badRequest('path: must name a secret, so it does not end in "/"');
}

/** Bytes of the JSON of one secret: what one request can bring by default. */
export const MAX_DATA_BYTES = 32 * 1024 * 1024;

/** @throws ServiceError 413 when the data of a secret, merged or not, is too large */
export function requireDataSize(data: Buffer): void {
  if (data.length > MAX_DATA_BYTES) throw tooLarge(`data: a secret must have at most ${MAX_DATA_BYTES} bytes`);
}

/** 4-open-points, Conventions. */
const MAX_PATH_BYTES = 1_024;

/** The longest beginning of an address of version 2. */
const LONGEST = 'metadata/';

/** @throws ServiceError 400 when a secret of version 1 could not be reached any more once its mount is of version 2 */
export function requireUpgradablePath(mount: Pick<Mount, 'path'>, path: string): void {
  const most = MAX_PATH_BYTES - Buffer.byteLength(mount.path) - LONGEST.length;
  if (path.length * 3 > most && Buffer.byteLength(path) > most) {
    throw badRequest(`path: must have at most ${most} bytes in this mount`);
  }
}
