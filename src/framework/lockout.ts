/** Where the failures of logins are counted, in the part of the store that belongs to their mount. */
export const LOCKOUTS = 'lockout/';

/**
 * The key of one user's or role's count. Who removes a user or a role deletes it: so there are no more counts than users.
 * @param alias in the one form that the login's `alias` gives
 */
export const lockoutKey = (mac: (text: string) => string, alias: string): string =>
  `${LOCKOUTS}user/${mac(`lockout ${alias}`)}`;
