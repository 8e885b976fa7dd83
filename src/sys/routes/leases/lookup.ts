import { leaseNames } from '../../../core/leases/list.ts';
import { describeLease, LEASE_SCHEMA } from '../../../core/leases/view.ts';
import { describe, string } from '../../../framework/kinds/index.ts';
import { list, write } from '../../context.ts';
import { knownLease, lookupParams } from '../../leases.ts';

export const lookupLease = write(
  'leases/lookup',
  {
    summary: 'Look up a lease',
    description:
      'Tokens are leases too, below the path they were asked for at. `revoke_error` is what the engine said when it could not take back what it gave out under a lease that has ended.',
    params: lookupParams,
    answer: LEASE_SCHEMA,
  },
  async ({ lease_id }, context) => ({ data: describeLease(await knownLease(context, lease_id), context.now) }),
);

export const listLeases = list(
  'leases/lookup/:path',
  {
    summary: 'List the leases below a path',
    description: 'What ended moments ago may still be named.',
    params: { path: describe(string(''), 'path below which they were given out; none for all mounts') },
    sudo: true,
  },
  async ({ path, page }, { tx, revision }) => ({ keys: await leaseNames(tx, revision, path, page) }),
);
