import { write } from '../../../sys/context.ts';

export const tidy = [
  write(
    'tidy',
    { summary: 'Have what is left of tokens that ended removed now', params: {} },
    (_, { service, after }) => {
      after(async () => service.jobs.wake());
      return { status: 202, warnings: ['tokens that ended are being removed; see the log where something fails'] };
    },
  ),
];
