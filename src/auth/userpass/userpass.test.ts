import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mountPrefix } from '../../core/mount-store.ts';
import { at, TestServer } from '../../sys/testing.ts';
import { Passwords } from './password.ts';

const server = await TestServer.open();
await server.call('POST', 'sys/auth/up', { body: { type: 'userpass' } });

const call = async (method: string, path: string, body?: unknown, token: string | undefined = server.root) => {
  const { status, json } = await server.call(method, `auth/up/${path}`, { body, token });
  return { status, json };
};
const status = async (...args: Parameters<typeof call>) => (await call(...args)).status;
const login = (name: string, password: unknown = 'pw') =>
  server.call('POST', `auth/up/login/${name}`, { token: undefined, body: { password } });
const read = async (name: string) => at((await call('GET', `users/${name}`)).json, 'data');

/** A user whose password is `pw`, made without the time that a real hash takes. */
const cheap = new Passwords({ N: 16, r: 1, p: 1 });
async function addUser(name: string, terms: object = {}): Promise<void> {
  const { json } = await server.call('GET', 'sys/auth/up');
  const key = `${mountPrefix(String(at(json, 'data', 'uuid')))}user/${name}`;
  const password = await cheap.hash('pw');
  const { NO_TERMS } = await import('../../framework/token-terms.ts');
  await server.service.barrier.transact((tx) =>
    tx.put(key, JSON.stringify({ password, terms: { ...NO_TERMS, ...terms }, older: [] })),
  );
}

describe('users', () => {
  test('are made, read without the password, changed in part, listed and deleted', async () => {
    assert.equal(await status('POST', 'users/Ada', { password: 'pw', token_policies: ['b', 'A'], ttl: '1h' }), 204);
    const made = await read('ADA');
    assert.equal(at(made, 'ttl'), 3600);
    assert.deepEqual(at(made, 'token_policies'), ['a', 'b']);
    assert.equal(at(made, 'token_ttl'), 3600);
    assert.equal(at(made, 'policies'), undefined);
    assert.doesNotMatch(JSON.stringify(made), /password|salt|key/);
    assert.equal(await status('POST', 'users/ada', { token_num_uses: 2, policies: 'x', token_ttl: 60 }), 204);
    const changed = await read('ada');
    assert.deepEqual(at(changed, 'policies'), ['x']);
    assert.equal(at(changed, 'ttl'), undefined);
    assert.deepEqual([at(changed, 'token_ttl'), at(changed, 'token_num_uses')], [60, 2]);
    assert.deepEqual(at((await call('LIST', 'users')).json, 'data', 'keys'), ['ada']);
    assert.equal(await status('DELETE', 'users/aDa'), 204);
    assert.equal(await status('DELETE', 'users/ada'), 204);
    assert.equal(await status('GET', 'users/ada'), 404);
    assert.equal(await status('LIST', 'users'), 404);
  });

  test('need create where they are new, and update where they exist', async () => {
    await addUser('known');
    const creator = await server.tokenWith('path "auth/up/users/*" { capabilities = ["create"] }');
    const updater = await server.tokenWith('path "auth/up/users/*" { capabilities = ["update"] }');
    assert.equal(await status('POST', 'users/known', {}, creator), 403);
    assert.equal(await status('POST', 'users/unknown', {}, updater), 403);
    assert.equal(await status('POST', 'users/unknown', {}, creator), 400, 'without a password');
    assert.equal(await status('POST', 'users/known', { token_ttl: 5 }, updater), 204);
  });

  for (const [what, path, body, field] of [
    ['a new one without a password', 'users/new', {}, 'password'],
    ['a new one with an empty password', 'users/new', { password: '' }, 'password'],
    ['a password that is too long', 'users/new', { password: 'x'.repeat(1025) }, 'password'],
    ['a hash', 'users/known', { password_hash: '$2a$10$x' }, 'password_hash'],
    ['root', 'users/known', { token_policies: 'a, ROOT ' }, 'token_policies'],
    ['root under the older name', 'users/known', { policies: ['root'] }, 'policies'],
    ['a lifetime beyond its maximum', 'users/known', { ttl: '2h', max_ttl: '1h' }, 'token_ttl'],
    ['a negative lifetime', 'users/known', { token_ttl: -1 }, 'token_ttl'],
    ['an unknown type', 'users/known', { token_type: 'root' }, 'token_type'],
    ['uses of batch tokens', 'users/known', { token_type: 'batch', token_num_uses: 1 }, 'token_num_uses'],
    ['no block', 'users/known', { bound_cidrs: 'here' }, 'bound_cidrs'],
    ['a name with a blank', 'users/kno%20wn', { password: 'x' }, 'username'],
    ['a name that ends in a dot', 'users/known.', { password: 'x' }, 'username'],
    ['an empty password on its path', 'users/known/password', { password: '' }, 'password'],
    ['no policies on their path', 'users/known/policies', {}, 'token_policies'],
  ] as const) {
    test(`${what} is 400 and names the field`, async () => {
      await addUser('known');
      const { status, json } = await call('POST', path, body);
      assert.equal(status, 400);
      assert.ok(String(at(json, 'errors', '0')).includes(field), JSON.stringify(json));
    });
  }

  test('passwords and policies change on their own paths, of users there are', async () => {
    await addUser('own');
    assert.equal(await status('POST', 'users/own/password', { password: 'next' }), 204);
    assert.equal((await login('own', 'pw')).status, 400);
    assert.equal((await login('own', 'next')).status, 200);
    assert.equal(await status('PUT', 'users/own/policies', { policies: 'p' }), 204);
    assert.deepEqual(at(await read('own'), 'policies'), ['p']);
    assert.equal(await status('PUT', 'users/own/policies', { token_policies: 'q', policies: 'p' }), 204);
    assert.deepEqual(at(await read('own'), 'token_policies'), ['q']);
    assert.equal(await status('POST', 'users/nobody/password', { password: 'x' }), 404);
    assert.equal(await status('POST', 'users/nobody/policies', { policies: 'x' }), 404);
  });
});

describe('a login', () => {
  test('in any letter case gives a token of the user’s terms, and hashes an old password anew', async () => {
    await addUser('eve', { policies: ['p'], ttl: 60 });
    const [one, other] = [await login('EVE'), await login('eve')];
    for (const { status, json } of [one, other]) {
      assert.equal(status, 200);
      assert.deepEqual(at(json, 'auth', 'policies'), ['default', 'p']);
      assert.deepEqual(at(json, 'auth', 'metadata'), { username: 'eve' });
      assert.equal(at(json, 'auth', 'lease_duration'), 60);
    }
    assert.equal(at(one.json, 'auth', 'entity_id'), at(other.json, 'auth', 'entity_id'));
    const token = String(at(one.json, 'auth', 'client_token'));
    const self = await server.call('GET', 'auth/token/lookup-self', { token });
    assert.equal(at(self.json, 'data', 'display_name'), 'up-eve');
    assert.equal(at(self.json, 'data', 'path'), 'auth/up/login/eve');
  });

  test('needs a password, and is refused alike for a wrong one, nobody, and another address', async () => {
    await addUser('fay', { boundCidrs: ['10.0.0.0/8'] });
    await addUser('kim');
    assert.equal((await login('kim', null)).status, 400);
    assert.equal((await login('kim', '')).status, 400);
    const refused = await Promise.all([login('kim', 'no'), login('nobody'), login('fay'), login('fay', 'no')]);
    for (const { status, text } of refused) {
      assert.deepEqual([status, text], [400, '{"errors":["invalid username or password"]}\n']);
    }
  });

  test('is renewed while the user is there with the same policies', async () => {
    await addUser('pam', { policies: ['p'], ttl: 60 });
    const token = String(at((await login('pam')).json, 'auth', 'client_token'));
    const renew = async () => (await server.call('POST', 'auth/token/renew-self', { token, body: {} })).status;
    assert.equal(await renew(), 200);
    assert.equal(await status('POST', 'users/pam/policies', { token_policies: ['q'] }), 204);
    assert.equal(await renew(), 400);
    assert.equal(await status('POST', 'users/pam/policies', { token_policies: ['default', 'p'] }), 204);
    assert.equal(await renew(), 200);
    assert.equal(await status('DELETE', 'users/pam'), 204);
    assert.equal(await renew(), 400);
    assert.equal((await server.call('GET', 'auth/token/lookup-self', { token })).status, 200);
  });
});
