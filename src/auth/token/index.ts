import { create } from './routes/create.ts';
import { createOrphan } from './routes/create-orphan.ts';
import { lookup } from './routes/lookup.ts';
import { lookupSelf } from './routes/lookup-self.ts';
import { revoke } from './routes/revoke.ts';
import { revokeSelf } from './routes/revoke-self.ts';

/** The auth method that is always there: tokens themselves. */
export const tokenEndpoints = [...create, ...createOrphan, ...lookup, ...lookupSelf, ...revoke, ...revokeSelf];
