import { write } from '../../context.ts';
import { prefixSyncParams, revokeBelow } from '../../leases.ts';

export const revokePrefix = write(
  'leases/revoke-prefix/:path',
  {
    summary: 'Revoke all leases and tokens below a path',
    description:
      'All have ended with the answer, on every node, however many they are; what they held is removed behind it. What is given out below the path from then on is not concerned.',
    params: prefixSyncParams,
    sudo: true,
  },
  ({ path, sync }, context) => revokeBelow(path, context, { force: false, sync }),
);
