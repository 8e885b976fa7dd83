import { fullPath, type MountEntry } from '../../../../core/mount-table.ts';
import { briefView, MOUNT_SCHEMA, mountView } from '../../../../core/mount-view.ts';
import type { Data } from '../../../../framework/answer.ts';
import { ServiceError } from '../../../../framework/errors.ts';
import { describe, string } from '../../../../framework/kinds/index.ts';
import { read } from '../../../context.ts';

const views = { type: 'object', additionalProperties: true } as const;

/** Names no mount that the caller cannot use, unless its owner shows it to everyone (known-attacks A13). */
export const listVisibleMounts = read(
  'internal/ui/mounts',
  {
    summary: 'List the mounts the caller may use, and those shown to everyone',
    params: {},
    answer: { secret: views, auth: views },
    access: 'optional',
  },
  (_, { revision, acl }) => {
    const view = (entry: MountEntry): Data | undefined => {
      if (acl.reaches(fullPath(entry))) return mountView(entry);
      return entry.config.listingVisibility === 'unauth' ? briefView(entry) : undefined;
    };
    const visible = (kind: MountEntry['kind']): Data =>
      Object.fromEntries(
        revision.mounts.entries.filter((entry) => entry.kind === kind).map((entry) => [entry.path, view(entry)]),
      );
    return { data: { secret: visible('secret'), auth: visible('auth') } };
  },
);

export const readVisibleMount = read(
  'internal/ui/mounts/:path',
  {
    summary: 'The mount that a path lies in, for who may use anything of it',
    params: { path: describe(string(), 'any path within the mount, or its own') },
    answer: { path: { type: 'string' }, ...MOUNT_SCHEMA },
    access: 'token',
  },
  ({ path }, { revision, acl }) => {
    const entry = revision.mounts.locate(path)?.entry;
    if (entry === undefined || !acl.reaches(fullPath(entry))) throw preflightDenied();
    return { data: { path: entry.path, ...mountView(entry) } };
  },
);

/** The same for what does not exist and for what the caller may not use; clients look for these words. */
const preflightDenied = (): ServiceError =>
  new ServiceError(403, ['preflight capability check returned 403: the token has no capability on this path']);
