import { findByAccessor } from '../../core/tokens.ts';
import { badRequest } from '../../framework/errors.ts';
import { describe, string } from '../../framework/kinds/index.ts';
import { askedPaths, describeCapabilities, PATHS } from '../capabilities.ts';
import { write } from '../context.ts';

export const capabilitiesAccessor = write(
  'capabilities-accessor',
  {
    summary: 'What the token of an accessor may do on each of the given paths',
    params: { accessor: describe(string(), 'the accessor of the token that is asked about'), ...PATHS },
    shape: 'flat',
  },
  async (values, { tx, revision }) => {
    const asked = askedPaths(values);
    const record = await findByAccessor(tx, values.accessor);
    if (record === undefined) throw badRequest('accessor: is not valid');
    return { data: describeCapabilities(await revision.acl(tx, record.policies), asked) };
  },
);
