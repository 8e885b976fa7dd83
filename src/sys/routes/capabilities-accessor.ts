import { aclOfAccessor } from '../../core/tokens.ts';
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
    return { data: describeCapabilities(await aclOfAccessor(tx, revision, values.accessor), asked) };
  },
);
