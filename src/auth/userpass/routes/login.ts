import { write } from '../../../framework/endpoint.ts';
import { InvalidCredentials } from '../../../framework/errors.ts';
import { passwordKind, passwords } from '../password.ts';
import { findUser, putUser, renewalOf, username } from '../user.ts';

const INVALID = 'invalid username or password';

export const login = write(
  'login/:username',
  {
    summary: 'Log in with a password',
    params: { username, password: passwordKind() },
    access: 'none',
    login: { alias: ({ username }) => username, refusal: INVALID },
    prepare: async ({ username, password }, { store }) =>
      passwords.check(password, (await findUser(store, username))?.password),
  },
  async ({ username }, { store, prepared: { matches, renewed } }) => {
    const user = await findUser(store, username);
    if (user === undefined || !matches) {
      throw new InvalidCredentials(INVALID, user !== undefined);
    }
    if (renewed !== undefined) putUser(store, username, { ...user, password: renewed });
    return {
      login: {
        alias: username,
        aliasMetadata: new Map(),
        displayName: username,
        metadata: new Map([['username', username]]),
        terms: user.terms,
        renewal: renewalOf(username, user.terms),
      },
    };
  },
);
