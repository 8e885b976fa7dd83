import { noContent, RawJson } from '../../../../framework/answer.ts';
import { list, read, remove, scan, write } from '../../../../framework/endpoint.ts';
import { badRequest, notFound } from '../../../../framework/errors.ts';
import { type Json, members } from '../../../../framework/json/index.ts';
import { describe, wholeBody } from '../../../../framework/kinds/index.ts';
import { listFolder, listing, scanFolder } from '../../folder.ts';
import { path, requireDataSize, requireSecretPath, requireUpgradablePath } from '../../params.ts';
import { decodePlain, encodePlain } from '../../plain.ts';
import { newId, secretExists, secretKey } from '../../secret.ts';
import { leaseOf } from '../lease.ts';

export const readSecret = read(
  ':path',
  {
    summary: 'Read a secret',
    description: 'The answer holds its content, and in `lease_duration` how long it may be kept.',
    params: { path },
  },
  async ({ path }, { store, mount }) => {
    const record = await store.get(secretKey(path));
    if (record === undefined) throw notFound();
    const { data, ttl = mount.defaultTtl } = decodePlain(record);
    return { data: new RawJson(data.toString('utf8')), leaseDuration: ttl };
  },
);

export const writeSecret = write(
  ':path',
  {
    summary: 'Write a secret',
    description: 'What was there is replaced. A member `ttl`, or else `lease`, says how long readers may keep it.',
    params: { path, data: describe(wholeBody(), 'the content of the secret, at least one member') },
    exists: secretExists,
  },
  ({ path, data }, { store, mount, now, random }) => {
    requireSecretPath(path);
    requireUpgradablePath(mount, path);
    requireMember(data);
    requireDataSize(data.bytes);
    store.put(
      secretKey(path),
      encodePlain({ id: newId(now, random), written: now, ...leaseOf(data), data: data.bytes }),
    );
    return noContent;
  },
);

export const removeSecret = remove(
  ':path',
  { summary: 'Remove a secret', params: { path } },
  async ({ path }, { store }) => {
    if (await secretExists({ path }, { store })) store.delete(secretKey(path));
    return noContent;
  },
);

export const listSecrets = list(
  ':path',
  { ...listing, summary: 'List the secrets and folders of a folder', entries: [':path'] },
  ({ path, page }, { store }) => listFolder(store, path, page),
);

export const scanSecrets = scan(
  ':path',
  { ...listing, summary: 'List all secrets beneath a folder, however deep', entries: [':path'] },
  ({ path, after }, { store }) => scanFolder(store, path, after),
);

/** The family refuses a secret without a member, which may be the body of a client that sent none. */
function requireMember(data: Json): void {
  if (members(data).size === 0)
    throw badRequest('request body: must have at least one member, such as {"key": "value"}');
}
