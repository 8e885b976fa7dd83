import { write } from '../../context.ts';
import { revoke, revokeParams } from '../../leases.ts';

export const revokeLease = write(
  'leases/revoke(/:path)',
  {
    summary: 'Revoke a lease',
    description:
      'It has ended with the answer, whatever the engine says. 503 where the engine could not take back what it gave out: it is tried again, with longer and longer pauses.',
    params: revokeParams,
  },
  revoke,
);
