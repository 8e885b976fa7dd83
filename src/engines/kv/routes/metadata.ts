import { type Answer, noContent } from '../../../framework/answer.ts';
import { list, patch, read, remove, scan, write } from '../../../framework/endpoint.ts';
import { notFound } from '../../../framework/errors.ts';
import { bool, describe, nullable, optional } from '../../../framework/kinds/index.ts';
import { describeSecret } from '../answers.ts';
import { customMetadata, customMetadataPatch, mergePairs } from '../custom-metadata.ts';
import { listFolder, listing, scanFolder } from '../folder.ts';
import { lifetime, maxVersions, path, requireSecretPath } from '../params.ts';
import { findSecret, newSecret, putSecret, removeSecret, secretExists, viewSecret } from '../secret.ts';
import { engineSettings, type Settings, unset } from '../settings.ts';

const entries = ['data/:path', 'metadata/:path'];

export const listSecrets = list(
  'metadata/:path',
  { ...listing, summary: 'List the secrets and folders of a folder', entries },
  ({ path, page }, { store }) => listFolder(store, path, page),
);

export const scanSecrets = scan(
  'metadata/:path',
  { ...listing, summary: 'List all secrets beneath a folder, however deep', entries },
  ({ path, after }, { store }) => scanFolder(store, path, after),
);

export const readMetadata = read(
  'metadata/:path',
  {
    summary: 'Read the settings and versions of a secret',
    params: { path },
    answer: {
      cas_required: { type: 'boolean' },
      created_time: { type: 'string', format: 'date-time' },
      current_version: { type: 'integer' },
      custom_metadata: { type: 'object', additionalProperties: { type: 'string' }, nullable: true },
      delete_version_after: { type: 'string', format: 'duration' },
      max_versions: { type: 'integer' },
      oldest_version: { type: 'integer' },
      updated_time: { type: 'string', format: 'date-time' },
      versions: { type: 'object', additionalProperties: { type: 'object' } },
    },
  },
  async ({ path }, { store }) => {
    const secret = await viewSecret(store, path);
    if (secret === undefined) throw notFound();
    return { data: describeSecret(secret) };
  },
);

export const writeMetadata = write(
  'metadata/:path',
  {
    summary: 'Set what holds for all versions of a secret',
    description: 'What is not given keeps its value. Creates no version.',
    params: {
      path,
      max_versions: optional(maxVersions),
      cas_required: describe(optional(bool()), 'writes must then give cas; false leaves it to the engine'),
      delete_version_after: describe(optional(lifetime), 'lifetime of new versions; the engine may cut it'),
      custom_metadata: describe(optional(customMetadata), 'replaces the whole map'),
    },
    exists: secretExists,
  },
  async (values, context) => {
    const { store, now } = context;
    requireSecretPath(values.path);
    if (nothingGiven(values)) return noContent;
    const secret = (await findSecret(store, values.path)) ?? newSecret(context);
    putSecret(store, values.path, {
      ...secret,
      updated: now,
      maxVersions: values.max_versions ?? secret.maxVersions,
      casRequired: values.cas_required ?? secret.casRequired,
      deleteVersionAfter: values.delete_version_after ?? secret.deleteVersionAfter,
      customMetadata: values.custom_metadata ?? secret.customMetadata,
    });
    return warned(values.cas_required, await engineSettings(store));
  },
);

export const patchMetadata = patch(
  'metadata/:path',
  {
    summary: 'Change what holds for all versions of a secret',
    description: 'Null resets a setting, and removes a name of the custom metadata. Creates no version.',
    params: {
      path,
      max_versions: nullable(maxVersions),
      cas_required: nullable(bool()),
      delete_version_after: nullable(lifetime),
      custom_metadata: nullable(customMetadataPatch),
    },
  },
  async (values, { store, now }) => {
    const secret = await findSecret(store, values.path);
    if (secret === undefined) throw notFound();
    if (nothingGiven(values)) return noContent;
    const { custom_metadata: changes } = values;
    putSecret(store, values.path, {
      ...secret,
      updated: now,
      maxVersions: patched(values.max_versions, secret.maxVersions, unset.maxVersions),
      casRequired: patched(values.cas_required, secret.casRequired, unset.casRequired),
      deleteVersionAfter: patched(values.delete_version_after, secret.deleteVersionAfter, unset.deleteVersionAfter),
      customMetadata:
        changes === null ? [] : mergePairs('custom_metadata', secret.customMetadata, changes ?? new Map()),
    });
    return warned(values.cas_required, await engineSettings(store));
  },
);

export const removeMetadata = remove(
  'metadata/:path',
  { summary: 'Remove a secret with all versions for good', params: { path } },
  async ({ path }, { store }) => {
    const secret = await findSecret(store, path);
    if (secret !== undefined) removeSecret(store, path, secret);
    return noContent;
  },
);

const nothingGiven = ({ path: _, ...settings }: Readonly<Record<string, unknown>>): boolean =>
  Object.values(settings).every((value) => value === undefined);

/** Null resets, undefined leaves. */
const patched = <T>(given: T | null | undefined, old: T, reset: T): T =>
  given === null ? reset : given === undefined ? old : given;

function warned(casRequired: boolean | null | undefined, engine: Settings): Answer {
  const useless = engine.casRequired && (casRequired === false || casRequired === null);
  return useless ? { warnings: ['cas_required: false has no effect while the engine requires cas'] } : noContent;
}
