import { listFailed, MOST_FAILED } from '../../core/leases/failed.ts';
import { describe } from '../../framework/kinds/index.ts';
import { read } from '../context.ts';
import { leaseLimit, ofType } from '../irrevocable.ts';

export const listIrrevocable = read(
  'leases',
  {
    summary: 'List the leases that engines keep failing to take back',
    description:
      'They count for nothing any more, and are tried again, at most an hour apart; sys/leases/revoke-force has them forgotten.',
    params: {
      ...ofType,
      limit: describe(leaseLimit(MOST_FAILED), 'at most so many, 10000 where nothing is said, or "none"'),
    },
    answer: {
      lease_count: { type: 'integer' },
      leases: {
        type: 'array',
        items: { type: 'object', description: 'lease_id, mount_id (the accessor of the mount), error' },
      },
    },
  },
  async ({ limit }, { tx, revision }) => {
    const { leases, more } = await listFailed(tx, revision, limit);
    const shown = leases.map(({ name, mount, error }) => ({ lease_id: name, mount_id: mount, error }));
    const warnings = more ? ['there are more: ask with a higher limit, or with limit=none'] : [];
    return { data: { lease_count: shown.length, leases: shown }, warnings };
  },
);
