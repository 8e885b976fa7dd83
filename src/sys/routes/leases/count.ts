import { countFailed } from '../../../core/leases/failed.ts';
import { read } from '../../context.ts';
import { ofType } from '../../irrevocable.ts';

export const countLeases = read(
  'leases/count',
  {
    summary: 'Count the leases that engines keep failing to take back',
    params: ofType,
    answer: {
      lease_count: { type: 'integer' },
      counts: {
        type: 'object',
        additionalProperties: { type: 'integer' },
        description: 'by the accessor of their mount',
      },
    },
  },
  async (_, { tx, revision }) => {
    const counts = await countFailed(tx, revision);
    const lease_count = [...counts.values()].reduce((sum, count) => sum + count, 0);
    return { data: { lease_count, counts: Object.fromEntries(counts) } };
  },
);
