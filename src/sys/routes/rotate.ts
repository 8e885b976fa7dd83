import { noContent } from '../../framework/answer.ts';
import { write } from '../context.ts';

export const rotate = write(
  'rotate',
  { summary: 'Begin a new term of the key that seals what is written from now on', params: {}, sudo: true },
  (_, { after, service }) => {
    after(() => service.barrier.rotate());
    return noContent;
  },
);
