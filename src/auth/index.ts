import type { Engine } from '../framework/engine.ts';
import { approle } from './approle/index.ts';
import { userpass } from './userpass/index.ts';

/** The auth methods of this server, besides tokens themselves. */
export const methods: readonly Engine[] = [approle, userpass];
