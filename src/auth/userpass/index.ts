import type { Engine, Variant } from '../../framework/engine.ts';
import * as login from './routes/login.ts';
import * as password from './routes/users/password.ts';
import * as policies from './routes/users/policies.ts';
import * as users from './routes/users.ts';
import { renewedTerms } from './user.ts';

const only: Variant = {
  endpoints: [login, password, policies, users].flatMap((route) => Object.values(route)),
  renewLogin: renewedTerms,
};

/** Users with passwords that this server keeps, hashed (4-open-points, Tokens). */
export const userpass: Engine = {
  type: 'userpass',
  kind: 'auth',
  summary: 'Users and their passwords',
  variant: () => only,
};
