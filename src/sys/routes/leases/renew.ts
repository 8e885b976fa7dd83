import { write } from '../../context.ts';
import { renew, renewParams } from '../../leases.ts';

export const renewLease = write(
  'leases/renew(/:path)',
  {
    summary: 'Renew a lease',
    description:
      'The envelope of the answer says how long it lives on, counted from now. Tokens are renewed at auth/token/renew.',
    params: renewParams,
  },
  renew,
);
