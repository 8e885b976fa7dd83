import { noContent } from '../../../framework/answer.ts';
import { list, read, remove, write } from '../../../framework/endpoint.ts';
import { notFound } from '../../../framework/errors.ts';
import { describe } from '../../../framework/kinds/index.ts';
import { lockoutKey } from '../../../framework/lockout.ts';
import { notOffered } from '../../../framework/not-offered.ts';
import { olderView } from '../../../framework/older-terms.ts';
import { TERMS_SCHEMA, termsView } from '../../../framework/token-terms.ts';
import { optionalPassword, passwords } from '../password.ts';
import { changeUser, findUser, putUser, USERS, username, userTerms } from '../user.ts';

export const listUsers = list(
  'users',
  { summary: 'List the users', params: {}, entries: ['users/:username'] },
  async ({ page }, { store }) => ({ keys: await store.list({ prefix: USERS, ...page }) }),
);

export const readUser = read(
  'users/:username',
  { summary: 'Read a user, without the password', params: { username }, answer: TERMS_SCHEMA },
  async ({ username }, { store }) => {
    const user = await findUser(store, username);
    if (user === undefined) throw notFound();
    return { data: { ...termsView(user.terms), ...olderView(user.older, user.terms) } };
  },
);

export const writeUser = write(
  'users/:username',
  {
    summary: 'Create or change a user',
    description: 'What is not given keeps its value. The tokens of earlier logins keep theirs until they are renewed.',
    params: {
      username,
      password: describe(optionalPassword(), 'required for a new user'),
      password_hash: notOffered('passwords are hashed by the server alone: give password'),
      ...userTerms,
    },
    exists: async ({ username }, { store }) => (await findUser(store, username)) !== undefined,
    prepare: async ({ password }) => (password === undefined ? undefined : await passwords.hash(password)),
  },
  async ({ username, ...given }, { store, prepared }) => {
    putUser(store, username, changeUser(await findUser(store, username), given, prepared));
    return noContent;
  },
);

export const deleteUser = remove(
  'users/:username',
  { summary: 'Delete a user; the tokens of earlier logins live on, and are not renewed', params: { username } },
  ({ username }, { store, mac }) => {
    store.delete(USERS + username);
    store.delete(lockoutKey(mac, username));
    return noContent;
  },
);
