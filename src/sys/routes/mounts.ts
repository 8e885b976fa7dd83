import { mountPath } from '../../core/mount-path.ts';
import { AT, ENABLE, enableRequest, rulesOf } from '../../core/mount-requests.ts';
import { MOUNT_SCHEMA, mountView } from '../../core/mount-view.ts';
import { disableMount, enableMount, noMount } from '../../core/mounts.ts';
import { noContent } from '../../framework/answer.ts';
import { read, remove, write } from '../context.ts';

export const listMounts = read(
  'mounts',
  { summary: 'List the secrets engines that are mounted, by path', params: {}, shape: 'flat' },
  (_, { revision }) => {
    const secrets = revision.mounts.entries.filter(({ kind }) => kind === 'secret');
    return { data: Object.fromEntries(secrets.map((entry) => [entry.path, mountView(entry)])) };
  },
);

export const readMount = read(
  'mounts/:path',
  { summary: 'Read the settings of a secrets engine', params: AT, answer: MOUNT_SCHEMA, shape: 'flat' },
  ({ path }, { revision }) => {
    const entry = revision.mounts.at(mountPath(path));
    if (entry?.kind !== 'secret') throw noMount();
    return { data: mountView(entry) };
  },
);

export const mountEngine = write(
  'mounts/:path',
  { summary: 'Mount a secrets engine', params: ENABLE },
  async (values, { tx, service }) => {
    await enableMount(tx, rulesOf(service), enableRequest('secret', values));
    return noContent;
  },
);

export const unmountEngine = remove(
  'mounts/:path',
  { summary: 'Unmount a secrets engine and remove its data', params: AT },
  async ({ path }, { tx, service, after }) => {
    await disableMount(tx, 'secret', path);
    after(async () => service.jobs.wake());
    return noContent;
  },
);
