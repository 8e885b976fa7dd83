import { noContent } from '../../framework/answer.ts';
import { write } from '../context.ts';

export const seal = write(
  'seal',
  { summary: 'Seal the server: it forgets its keys until it is unsealed', params: {}, sudo: true },
  (_, { after, service }) => {
    after(() => service.seal());
    return noContent;
  },
);
