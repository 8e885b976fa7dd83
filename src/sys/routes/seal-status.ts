import { SEAL_SCHEMA, sealView } from '../../core/seal-view.ts';
import { soon } from '../../core/soon.ts';
import { status } from '../status.ts';

export const sealStatus = status(
  'read',
  'seal-status',
  { summary: 'Whether the server is sealed, and how far unsealing has come', params: {}, answer: SEAL_SCHEMA },
  async (_, { service }) => ({ data: await sealView(service, await soon(service.barrier.status())) }),
);
