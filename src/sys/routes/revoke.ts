import { write } from '../context.ts';
import { revoke, revokeParams } from '../leases.ts';

export const revokeLeaseOlder = write(
  'revoke(/:path)',
  {
    summary: 'Revoke a lease; the older name of sys/leases/revoke',
    description:
      'It has ended with the answer, whatever the engine says. 503 where the engine could not take back what it gave out: it is tried again, with longer and longer pauses.',
    params: revokeParams,
  },
  revoke,
);
