import { contains } from '../../../framework/cidr.ts';
import { write } from '../../../framework/endpoint.ts';
import { InvalidCredentials } from '../../../framework/errors.ts';
import { passwordKind, passwords } from '../password.ts';
import { findUser, putUser, username } from '../user.ts';

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
  async ({ username }, { store, peer, prepared: { matches, renewed } }) => {
    const user = await findUser(store, username);
    if (user === undefined) throw new InvalidCredentials(INVALID, false);
    // From elsewhere a right password is refused as a wrong one, so that nobody can try passwords there.
    const { boundCidrs } = user.terms;
    const here = boundCidrs.length === 0 || contains(boundCidrs, peer);
    if (!matches || !here) throw new InvalidCredentials(INVALID, true);
    if (renewed !== undefined) putUser(store, username, { ...user, password: renewed });
    return {
      login: {
        alias: username,
        aliasMetadata: new Map(),
        displayName: username,
        metadata: new Map([['username', username]]),
        terms: user.terms,
        renewal: username,
      },
    };
  },
);
