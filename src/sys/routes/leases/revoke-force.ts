import { write } from '../../context.ts';
import { prefixParams, revokeBelow } from '../../leases.ts';

export const revokeForce = write(
  'leases/revoke-force/:path',
  {
    summary: 'Revoke all leases and tokens below a path, whatever engines say',
    description:
      'As revoke-prefix, and what engines fail to take back is forgotten: it may live on elsewhere, and nothing tells of it any more.',
    params: prefixParams,
    sudo: true,
  },
  ({ path }, context) => revokeBelow(path, context, { force: true, sync: true }),
);
