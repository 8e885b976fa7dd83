import { type Data, RawJson } from '../../framework/answer.ts';
import { formatDuration, type Schema } from '../../framework/kinds/index.ts';
import { firstNumber, type Numbered, numbered, type Secret, type Version } from './secret.ts';
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
    versions: Object.fromEntries(numbered(secret).map(({ number, version }) => [String(number), times(version)])),
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

const rfc3339 = (ms: number): string => new Date(ms).toISOString();

/** Written out by hand: an object would move integer-like names to its front, and lose `__proto__`. */
function customMetadata({ customMetadata: pairs }: Secret): RawJson | null {
  if (pairs.length === 0) return null;
  return new RawJson(`{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`);
}
