import { mountPath } from '../../core/mount-path.ts';
import { AT, ENABLE, enableRequest, rulesOf } from '../../core/mount-requests.ts';
import { MOUNT_SCHEMA, mountView } from '../../core/mount-view.ts';
import { disableMount, enableMount, noMount } from '../../core/mounts.ts';
import { noContent } from '../../framework/answer.ts';
import { read, remove, write } from '../context.ts';

export const listAuthMethods = read(
  'auth',
  { summary: 'List the auth methods that are enabled, by path', params: {}, shape: 'flat' },
  (_, { revision }) => {
    const methods = revision.mounts.entries.filter(({ kind }) => kind === 'auth');
    return { data: Object.fromEntries(methods.map((entry) => [entry.path, mountView(entry)])) };
  },
);

export const readAuthMethod = read(
  'auth/:path',
  { summary: 'Read the settings of an auth method', params: AT, answer: MOUNT_SCHEMA, sudo: true, shape: 'flat' },
  ({ path }, { revision }) => {
    const entry = revision.mounts.at(`auth/${mountPath(path)}`);
    if (entry === undefined) throw noMount();
    return { data: mountView(entry) };
  },
);

export const enableAuthMethod = write(
  'auth/:path',
  { summary: 'Enable an auth method', params: ENABLE, sudo: true },
  async (values, { tx, service }) => {
    await enableMount(tx, rulesOf(service), enableRequest('auth', values));
    return noContent;
  },
);

export const disableAuthMethod = remove(
  'auth/:path',
  { summary: 'Disable an auth method and remove its data', params: AT, sudo: true },
  async ({ path }, { tx, service, after }) => {
    await disableMount(tx, 'auth', path);
    after(async () => service.jobs.wake());
    return noContent;
  },
);
