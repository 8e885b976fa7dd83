import { write } from '../../../../framework/endpoint.ts';
import { dropAllExpired } from '../../expiry.ts';

export const tidySecretIds = write(
  'tidy/secret-id',
  {
    summary: 'Take out secret ids that have expired',
    description: 'They are refused whether they are still stored or not, and each new one takes out others anyway.',
    params: {},
  },
  async (_values, { store, now }) => {
    const more = await dropAllExpired(store, now);
    return {
      status: 202,
      warnings: [more ? 'some were taken out, and more are left: call again' : 'all that have expired were taken out'],
    };
  },
);
