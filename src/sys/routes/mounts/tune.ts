import { mountAddress, mountPath } from '../../../core/mount-path.ts';
import { AT, rulesOf, TUNE, tuneChanges } from '../../../core/mount-requests.ts';
import { TUNE_SCHEMA, tuneView } from '../../../core/mount-view.ts';
import { noMount, tuneMount } from '../../../core/mounts.ts';
import type { Data } from '../../../framework/answer.ts';
import { noContent } from '../../../framework/answer.ts';
import { read, type SystemContext, write } from '../../context.ts';

/** The settings that hold for the mount of a full path, which starts with `auth/` for an auth method. */
export function readTuning({ revision: { mounts } }: Pick<SystemContext, 'revision'>, full: string): Data {
  const entry = mounts.at(full);
  const mount = entry && mounts.mountOf(entry);
  if (entry === undefined || mount === undefined) throw noMount();
  return tuneView(entry, mount);
}

export const readMountTuning = read(
  'mounts/:path/tune',
  { summary: 'Read the settings that hold for a mount', params: AT, answer: TUNE_SCHEMA, shape: 'flat' },
  ({ path }, context) => ({ data: readTuning(context, mountPath(path)) }),
);

/** Auth methods are tuned here too, as `auth/<path>`: the family's command line does so. */
export const tuneSecretMount = write(
  'mounts/:path/tune',
  { summary: 'Change settings of a mount', params: TUNE },
  async ({ path, ...values }, { tx, service }) => {
    const { kind, path: within } = mountAddress(path);
    await tuneMount(tx, rulesOf(service), kind, within, tuneChanges(values));
    return noContent;
  },
);
