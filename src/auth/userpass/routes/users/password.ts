import { noContent } from '../../../../framework/answer.ts';
import { write } from '../../../../framework/endpoint.ts';
import { notOffered } from '../../../../framework/not-offered.ts';
import { passwordKind, passwords } from '../../password.ts';
import { knownUser, putUser, username } from '../../user.ts';

export const changePassword = write(
  'users/:username/password',
  {
    summary: 'Change the password of a user',
    params: {
      username,
      password: passwordKind(),
      password_hash: notOffered('passwords are hashed by the server alone: give password'),
    },
    prepare: ({ password }) => passwords.hash(password),
  },
  async ({ username }, { store, prepared }) => {
    putUser(store, username, { ...(await knownUser(store, username)), password: prepared });
    return noContent;
  },
);
