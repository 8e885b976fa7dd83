import { write } from '../context.ts';
import { prefixParams, revokeBelow } from '../leases.ts';

export const revokeForceOlder = write(
  'revoke-force/:path',
  {
    summary: 'Revoke below a path whatever engines say; the older name of sys/leases/revoke-force',
    description:
      'As revoke-prefix, and what engines fail to take back is forgotten: it may live on elsewhere, and nothing tells of it any more.',
    params: prefixParams,
    sudo: true,
  },
  ({ path }, context) => revokeBelow(path, context, { force: true, sync: true }),
);
