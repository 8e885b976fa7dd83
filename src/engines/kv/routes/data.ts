import { noContent, RawJson } from '../../../framework/answer.ts';
import { patch, read, remove, write } from '../../../framework/endpoint.ts';
import { notFound } from '../../../framework/errors.ts';
import { mergePatch, scanJson } from '../../../framework/json/index.ts';
import { describe, jsonObject } from '../../../framework/kinds/index.ts';
import { describeVersion, versionSchema } from '../answers.ts';
import { checkCas, checkPatchCas, writeOptions } from '../cas.ts';
import { path, requireSecretPath, version } from '../params.ts';
import { readVersion } from '../read-version.ts';
import { findSecret, findVersion, isGone, newSecret, readData, secretExists } from '../secret.ts';
import { engineSettings } from '../settings.ts';
import { changeVersions, deletedAt, writeVersion } from '../versions.ts';

export const readSecret = read(
  'data/:path',
  {
    summary: 'Read a version of a secret',
    params: { path, version },
    answer: { data: { type: 'object', nullable: true }, metadata: { type: 'object' } },
  },
  async (values, context) => {
    const { data, metadata } = await readVersion(context, values.path, values.version);
    if (data === undefined) return { status: 404, data: { data: null, metadata } };
    return { data: { data: new RawJson(data.toString('utf8')), metadata } };
  },
);

export const writeSecret = write(
  'data/:path',
  {
    summary: 'Write a new version of a secret',
    params: { path, options: writeOptions, data: describe(jsonObject(), 'the content of the new version') },
    answer: versionSchema,
    exists: secretExists,
  },
  async ({ path, options, data }, context) => {
    requireSecretPath(path);
    const engine = await engineSettings(context.store);
    const secret = (await findSecret(context.store, path)) ?? newSecret(context);
    checkCas(options, secret, engine);
    return writeVersion(context, path, secret, engine, data.bytes);
  },
);

export const patchSecret = patch(
  'data/:path',
  {
    summary: 'Merge into the latest version of a secret, as a new version',
    params: { path, options: writeOptions, data: describe(jsonObject(), 'a merge-patch of the content (RFC 7396)') },
    answer: versionSchema,
  },
  async ({ path, options, data }, context) => {
    const { store, now } = context;
    const engine = await engineSettings(store);
    const secret = await findSecret(store, path);
    if (secret === undefined) throw notFound();
    checkPatchCas(options, secret, engine);
    const latest = findVersion(secret, 0);
    if (latest === undefined) throw notFound();
    if (isGone(latest.version, now)) return { status: 404, data: describeVersion(secret, latest) };
    const old = scanJson(await readData(store, path, secret, latest.number), 'stored data');
    return writeVersion(context, path, secret, engine, Buffer.from(mergePatch(old, data)));
  },
);

export const removeLatest = remove(
  'data/:path',
  { summary: 'Delete the latest version of a secret; undelete brings it back', params: { path } },
  async (values, context) => {
    await changeVersions(context, values.path, (secret) => [secret.current], deletedAt(context.now));
    return noContent;
  },
);
