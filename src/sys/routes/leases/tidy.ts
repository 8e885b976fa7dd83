import { addTidy } from '../../../core/job.ts';
import { write } from '../../context.ts';

export const tidyLeases = write(
  'leases/tidy',
  {
    summary: 'Look through all leases and tokens, and remove those that have ended',
    description: 'They are removed without it too, when their time is up; this finds what a fault has left behind.',
    params: {},
  },
  (_, { tx, service, after }) => {
    addTidy(tx);
    after(async () => service.jobs.wake());
    return { status: 202, warnings: ['a stored job looks through all leases'] };
  },
);
