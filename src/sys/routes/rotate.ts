import { noContent } from '../../framework/answer.ts';
import { type SystemWriteContext, write } from '../context.ts';

/** Begins a term once the request has been committed: the barrier keeps its keyring in records of its own. */
export const beginTerm = (_: unknown, { after, service }: SystemWriteContext): typeof noContent => {
  after(() => service.barrier.rotate());
  return noContent;
};

export const rotate = write(
  'rotate',
  { summary: 'Begin a new term of the key that seals what is written from now on', params: {}, sudo: true },
  beginTerm,
);
