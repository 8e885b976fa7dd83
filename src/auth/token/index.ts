import { listAccessors } from './routes/accessors.ts';
import { create } from './routes/create.ts';
import { createOrphan } from './routes/create-orphan.ts';
import { lookup } from './routes/lookup.ts';
import { lookupAccessor } from './routes/lookup-accessor.ts';
import { lookupSelf } from './routes/lookup-self.ts';
import { renew } from './routes/renew.ts';
import { renewAccessor } from './routes/renew-accessor.ts';
import { renewSelf } from './routes/renew-self.ts';
import { revoke } from './routes/revoke.ts';
import { revokeAccessor } from './routes/revoke-accessor.ts';
import { revokeOrphan } from './routes/revoke-orphan.ts';
import { revokeSelf } from './routes/revoke-self.ts';
import { roles } from './routes/roles.ts';
import { tidy } from './routes/tidy.ts';

/** The auth method that is always there: tokens themselves. */
export const tokenEndpoints = [
  ...create,
  ...createOrphan,
  ...lookup,
  ...lookupSelf,
  ...lookupAccessor,
  ...listAccessors,
  ...renew,
  ...renewSelf,
  ...renewAccessor,
  ...revoke,
  ...revokeSelf,
  ...revokeAccessor,
  ...revokeOrphan,
  ...roles,
  ...tidy,
];
