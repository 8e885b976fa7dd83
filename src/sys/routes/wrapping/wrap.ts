import { RawJson } from '../../../framework/answer.ts';
import { describe, wholeBody } from '../../../framework/kinds/index.ts';
import { write } from '../../context.ts';

export const wrap = write(
  'wrapping/wrap',
  {
    summary: 'Wrap any JSON object for one who comes with the wrapping token',
    description: 'Needs `X-Service-Wrap-TTL`, which says for how long it is kept.',
    params: { data: describe(wholeBody(), 'the body as a whole is what is wrapped') },
    shape: 'wrapped',
  },
  ({ data }) => ({ data: new RawJson(data.text) }),
);
