import assert from 'node:assert/strict';
import { type Answer, at, type Client } from './support.ts';

/** For the tests of logins on one server and on many: every client is of the same store. */

const AT_ONCE = 64;
const NOBODY = 'invalid username or password';

const first = ([client]: readonly Client[]): Client => client ?? assert.fail('there is a client');
const nth = (clients: readonly Client[], i: number): Client => clients[i % clients.length] ?? first(clients);

/** Enables an auth method, and gives its path and accessor. */
export async function enable(client: Client, type: string, token: string): Promise<readonly [string, string]> {
  const path = `${type}-${Math.random().toString(36).slice(2)}`;
  await client.expect(204, 'POST', `sys/auth/${path}`, { token, body: { type } });
  const { json } = await client.expect(200, 'GET', `sys/auth/${path}`, { token });
  return [`auth/${path}`, String(at(json, 'data', 'accessor'))];
}

/** The role `app` of a method, and a secret id of it. */
export async function newRole(client: Client, path: string, token: string, role: object = {}) {
  await client.expect(204, 'POST', `${path}/role/app`, { token, body: role });
  const { json } = await client.expect(200, 'GET', `${path}/role/app/role-id`, { token });
  const made = await client.expect(200, 'POST', `${path}/role/app/secret-id`, { token });
  return {
    role_id: String(at(json, 'data', 'role_id')),
    secret_id: String(at(made.json, 'data', 'secret_id')),
    accessor: String(at(made.json, 'data', 'secret_id_accessor')),
  };
}

/** Failures under all spellings of a name, over all clients, are one count; then no password is right (B4). */
export async function lockOut(clients: readonly Client[], token: string): Promise<void> {
  const client = first(clients);
  const [path, accessor] = await enable(client, 'userpass', token);
  await client.expect(204, 'POST', `${path}/users/bob`, { token, body: { password: 'right' } });
  const login = (i: number, name: string, password: string): Promise<Answer> =>
    nth(clients, i).send('POST', `${path}/login/${name}`, { token: undefined, body: { password } });
  const refused = await Promise.all(['bob', 'BOB', 'Bob', 'bOb', 'boB'].map((name, i) => login(i, name, 'wrong')));
  for (const spelling of ['bob%20', '%20bob', 'bob%09', 'bob.', 'b%C3%B3b', '%EF%BC%A2ob']) {
    assert.equal((await login(0, spelling, 'right')).status, 400, spelling);
  }
  const tried = await Promise.all(clients.map((_, i) => login(i, 'bob', 'right')));
  for (const { status, json } of [...refused, ...tried]) {
    assert.deepEqual([status, at(json, 'errors')], [400, [NOBODY]]);
  }
  await nth(clients, 1).expect(204, 'POST', `sys/locked-users/${accessor}/unlock/bob`, { token });
  assert.equal((await login(0, 'Bob', 'right')).status, 200);
}

/** Of 64 who log in at once with a secret id of five uses exactly five get in (B13). */
export async function logInAtOnce(clients: readonly Client[], token: string): Promise<void> {
  const [path] = await enable(first(clients), 'approle', token);
  const { role_id, secret_id } = await newRole(first(clients), path, token, { secret_id_num_uses: 5 });
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, i) =>
      nth(clients, i).send('POST', `${path}/login`, { token: undefined, body: { role_id, secret_id } }),
    ),
  );
  const admitted = answers.filter(({ status }) => status === 200);
  assert.equal(admitted.length, 5);
  assert.ok(answers.every(({ status }) => [200, 400, 503].includes(status)));
}
