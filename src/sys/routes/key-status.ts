import { read } from '../context.ts';

export const keyStatus = read(
  'key-status',
  {
    summary: 'The term of the key that seals what is written',
    params: {},
    answer: {
      term: { type: 'integer' },
      install_time: { type: 'string', format: 'date-time' },
      encryptions: { type: 'integer', description: 'records sealed in this term over all nodes, at most' },
    },
    shape: 'flat',
  },
  async (_, { service }) => {
    // The barrier keeps the keyring in records of its own: it reads them in a snapshot of its own, and writes nothing.
    const { term, installTime, encryptions } = await service.barrier.keyStatus();
    return { data: { term, install_time: new Date(installTime).toISOString(), encryptions } };
  },
);
