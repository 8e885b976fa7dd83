import { findToken } from '../../core/tokens.ts';
import { badRequest } from '../../framework/errors.ts';
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
    const record = await findToken(tx, values.token);
    if (record === undefined) throw badRequest('token: is not valid');
    return { data: describeCapabilities(await revision.acl(tx, record.policies), asked) };
  },
);
