import { noWrappingToken, takeAnswer, wrapAnswer } from '../../../core/wrapping.ts';
import { describe, string } from '../../../framework/kinds/index.ts';
import { write } from '../../context.ts';

export const rewrap = write(
  'wrapping/rewrap',
  {
    summary: 'Replace a wrapping token by a new one of the same lifetime',
    description: 'The old one is not valid any more. Path and content are kept.',
    params: { token: describe(string(''), 'the wrapping token') },
    shape: 'wrapped',
  },
  async ({ token }, { tx }) => {
    if (token === '') throw noWrappingToken();
    const { answer, record, held } = await takeAnswer(tx, token);
    const { ttl, path, displayName } = record;
    return {
      wrapInfo: wrapAnswer(tx, answer, { ttl, path, displayName, wrappedAccessor: held.wrappedAccessor }),
    };
  },
);
