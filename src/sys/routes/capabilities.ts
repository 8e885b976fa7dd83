import { aclOfToken } from '../../core/tokens.ts';
import { describe, string } from '../../framework/kinds/index.ts';
import { askedPaths, describeCapabilities, PATHS } from '../capabilities.ts';
import { write } from '../context.ts';

export const capabilities = write(
  'capabilities',
  {
    summary: 'What another token may do on each of the given paths',
    params: { token: describe(string(), 'the token that is asked about'), ...PATHS },
    shape: 'flat',
  },
  async (values, { tx, revision }) => {
    const asked = askedPaths(values);
    return { data: describeCapabilities(await aclOfToken(tx, revision, values.token), asked) };
  },
);
