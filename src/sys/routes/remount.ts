import { remountMount } from '../../core/remount.ts';
import { describe, string } from '../../framework/kinds/index.ts';
import { write } from '../context.ts';

export const remount = write(
  'remount',
  {
    summary: 'Move a mount to another path',
    description:
      'Data, history and settings stay as they are. With the answer the move is over, on every node: what was at the old path is at the new one alone. Policies are not rewritten.',
    params: {
      from: describe(string(), 'full path of the mount, of an auth method with auth/'),
      to: describe(string(), 'full path that it is to have'),
    },
    answer: { migration_id: { type: 'string' } },
    sudo: true,
  },
  async ({ from, to }, { tx }) => ({ data: { migration_id: (await remountMount(tx, from, to)).id } }),
);
