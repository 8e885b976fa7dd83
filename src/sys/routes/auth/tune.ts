import { mountPath } from '../../../core/mount-path.ts';
import { AT, rulesOf, TUNE, tuneChanges } from '../../../core/mount-requests.ts';
import { TUNE_SCHEMA } from '../../../core/mount-view.ts';
import { tuneMount } from '../../../core/mounts.ts';
import { noContent } from '../../../framework/answer.ts';
import { read, write } from '../../context.ts';
import { readTuning } from '../mounts/tune.ts';

export const readAuthTuning = read(
  'auth/:path/tune',
  {
    summary: 'Read the settings that hold for an auth method',
    params: AT,
    answer: TUNE_SCHEMA,
    sudo: true,
    shape: 'flat',
  },
  ({ path }, context) => ({ data: readTuning(context, `auth/${mountPath(path)}`) }),
);

export const tuneAuthMethod = write(
  'auth/:path/tune',
  { summary: 'Change settings of an auth method', params: TUNE, sudo: true },
  async ({ path, ...values }, { tx, service }) => {
    await tuneMount(tx, rulesOf(service), 'auth', path, tuneChanges(values));
    return noContent;
  },
);
