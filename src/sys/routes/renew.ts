import { write } from '../context.ts';
import { renew, renewParams } from '../leases.ts';

export const renewLeaseOlder = write(
  'renew(/:path)',
  {
    summary: 'Renew a lease; the older name of sys/leases/renew',
    description:
      'The envelope of the answer says how long it lives on, counted from now. Tokens are renewed at auth/token/renew.',
    params: renewParams,
  },
  renew,
);
