import { unlockUser } from '../../../core/locked-users.ts';
import { noContent } from '../../../framework/answer.ts';
import { describe, string } from '../../../framework/kinds/index.ts';
import { write } from '../../context.ts';

export const unlockLockedUser = write(
  'locked-users/:mount_accessor/unlock/:alias_identifier',
  {
    summary: 'Let a user log in again whom failed logins have locked out',
    params: {
      mount_accessor: describe(string(), 'accessor of the auth method'),
      alias_identifier: {
        ...describe(string(), 'name of the user, or role_id of the role'),
        fold: (text: string) => text.toLowerCase(),
      },
    },
  },
  ({ mount_accessor: accessor, alias_identifier: alias }, { tx, revision }) => {
    const method = revision.mounts.entries.find((entry) => entry.kind === 'auth' && entry.accessor === accessor);
    if (method !== undefined) unlockUser(tx, method, alias);
    return noContent;
  },
);
