import { changeRevision } from '../../core/state.ts';
import { noContent } from '../../framework/answer.ts';
import { type SystemWriteContext, write } from '../context.ts';

/**
 * Begins a term once the request has been committed: the barrier keeps its keyring in records of its own. The revision is
 * then sealed by the new term, so that every node meets it with its next request.
 */
export const beginTerm = (_: unknown, { after, service: { barrier } }: SystemWriteContext): typeof noContent => {
  after(async () => {
    await barrier.rotate();
    await barrier.transact(changeRevision);
  });
  return noContent;
};

export const rotate = write(
  'rotate',
  { summary: 'Begin a new term of the key that seals what is written from now on', params: {}, sudo: true },
  beginTerm,
);
