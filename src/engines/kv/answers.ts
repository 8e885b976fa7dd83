import { type Data, RawJson } from '../../framework/answer.ts';
import { formatDuration, type Schema } from '../../framework/kinds/index.ts';
import type { Version } from './history.ts';
import { firstNumber, type Numbered, numbered, type Secret } from './secret.ts';
import type { Settings } from './settings.ts';

/** The members of a version in answers (document 3, "KV secret version"), as OpenAPI shows them. */
export const versionSchema: Readonly<Record<string, Schema>> = {
  created_time: { type: 'string', format: 'date-time' },
  custom_metadata: { type: 'object', additionalProperties: { type: 'string' }, nullable: true },
  deletion_time: { type: 'string', description: 'empty where no deletion is set' },
  destroyed: { type: 'boolean' },
  version: { type: 'integer' },
};

/** A version as reads and writes of data answer it; `custom_metadata` is that of the secret. */
export const describeVersion = (secret: Secret, { number, version }: Numbered): Data => ({
  ...times(version),
  custom_metadata: customMetadata(secret),
  version: number,
});

/** A secret as "Read metadata" answers it. `oldest_version` is 0 until a version has been pruned. */
export function describeSecret(secret: Secret): Data {
  const first = firstNumber(secret);
  return {
    ...describeSettings(secret),
    created_time: rfc3339(secret.created),
    current_version: secret.current,
    custom_metadata: customMetadata(secret),
    oldest_version: first > 1 ? first : 0,
    updated_time: rfc3339(secret.updated),
    versions: describeVersions(secret),
  };
}

/** Settings as they were given. */
export const describeSettings = (settings: Settings): Data => ({
  cas_required: settings.casRequired,
  delete_version_after: formatDuration(settings.deleteVersionAfter),
  max_versions: settings.maxVersions,
});

const times = ({ created, deletion, destroyed }: Version) => ({
  created_time: rfc3339(created),
  deletion_time: deletion === undefined ? '' : rfc3339(deletion),
  destroyed: destroyed === true,
});

/** Written out by hand: there may be a hundred thousand, and this takes half the time. */
function describeVersions(secret: Secret): RawJson {
  const texts: string[] = [];
  for (const { number, version } of numbered(secret)) {
    const { created_time, deletion_time, destroyed } = times(version);
    texts.push(
      `"${number}":{"created_time":"${created_time}","deletion_time":"${deletion_time}","destroyed":${destroyed}}`,
    );
  }
  return new RawJson(`{${texts.join()}}`);
}

const rfc3339 = (ms: number): string => new Date(ms).toISOString();

/** Written out by hand: an object would move integer-like names to its front, and lose `__proto__`. */
function customMetadata({ customMetadata: pairs }: Secret): RawJson | null {
  if (pairs.length === 0) return null;
  return new RawJson(`{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`);
}
