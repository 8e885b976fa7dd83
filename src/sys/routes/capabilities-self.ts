import { askedPaths, describeCapabilities, PATHS } from '../capabilities.ts';
import { write } from '../context.ts';

export const capabilitiesSelf = write(
  'capabilities-self',
  { summary: 'What the calling token may do on each of the given paths', params: PATHS, shape: 'flat' },
  (values, { acl }) => ({ data: describeCapabilities(acl, askedPaths(values)) }),
);
