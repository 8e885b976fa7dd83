import { noContent, RawJson } from '../../../framework/answer.ts';
import { list, read, remove, scan, write } from '../../../framework/endpoint.ts';
import { badRequest, notFound } from '../../../framework/errors.ts';
import { members } from '../../../framework/json/index.ts';
import { describe, string, wholeBody } from '../../../framework/kinds/index.ts';
import { scanNames } from '../../../framework/scan.ts';

/** Where what lies in a folder is listed; the path "" is the whole cubbyhole. */
const folder = (path: string): string => (path === '' ? '' : `${path}/`);

const path = describe(string(), 'path of the secret within the cubbyhole');

export const readSecret = read(
  ':path',
  { summary: 'Read a secret of the calling token', params: { path } },
  async ({ path }, { store }) => {
    const found = await store.get(path);
    if (found === undefined) throw notFound();
    return { data: new RawJson(found.toString('utf8')) };
  },
);

export const listSecrets = list(
  ':path',
  { summary: 'List the secrets and folders of the calling token in a folder', params: { path } },
  async ({ path, page }, { store }) => ({ keys: await store.list({ prefix: folder(path), ...page }) }),
);

export const scanSecrets = scan(
  ':path',
  { summary: 'List all secrets of the calling token beneath a folder, however deep', params: { path } },
  ({ path, after }, { store }) => scanNames(store, folder(path), after),
);

export const writeSecret = write(
  ':path',
  {
    summary: 'Write a secret of the calling token',
    params: { path, data: describe(wholeBody(), 'the members of the body are the secret: at least one') },
    exists: async ({ path }, { store }) => (await store.get(path)) !== undefined,
  },
  ({ path, data }, { store }) => {
    if (path === '' || path.endsWith('/')) throw badRequest('path: must name a secret, so it does not end in "/"');
    if (members(data).size === 0) throw badRequest('request body: must have at least one member');
    store.put(path, data.bytes);
    return noContent;
  },
);

export const removeSecret = remove(
  ':path',
  { summary: 'Remove a secret of the calling token', params: { path } },
  ({ path }, { store }) => {
    store.delete(path);
    return noContent;
  },
);
