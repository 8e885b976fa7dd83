// C12, I2, R7: what a refused login leaves in the store, in the log and in its answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, TestServer } from '../../src/sys/testing.ts';
import { startTarget } from './support.ts';

const server = await TestServer.open({ rehearse: false });
const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
  const { status, json, text } = await server.call(method, path, body === undefined ? {} : { body });
  assert.ok(status < 300, `${method} ${path}: ${status} ${text}`);
  return at(json, 'data');
};
const login = async (path: string, body: object, peer = '127.0.0.1') =>
  (await server.call('POST', path, { token: undefined, body, peer })).status;

test('C12 refused logins leave nothing but the attempt, whatever they are refused for', async () => {
  for (const type of ['approle', 'userpass']) await ask('POST', `sys/auth/${type}`, { type });
  const role = async (name: string, terms: object, wishes: object = {}) => {
    await ask('POST', `auth/approle/role/${name}`, { role_id: name, ...terms });
    return {
      role_id: name,
      secret_id: String(at(await ask('POST', `auth/approle/role/${name}/secret-id`, wishes), 'secret_id')),
    };
  };
  const good = await role('good', {});
  assert.equal(await login('auth/approle/login', good), 200);
  const bound = await role('bound', { token_bound_cidrs: ['10.0.0.0/8'] }, { num_uses: 3 });
  const narrow = await role('narrow', {}, { cidr_list: ['10.0.0.0/8'], num_uses: 3 });
  const counted = await role('counted', { token_num_uses: 3, token_type: 'default' }, { num_uses: 3 });
  await ask('POST', 'sys/auth/approle/tune', { token_type: 'batch' });
  assert.equal(await login('auth/approle/login', counted), 400, 'a batch token has no uses');
  await ask('POST', 'sys/auth/approle/tune', { token_type: 'default-service' });
  const disabled = await role('disabled', {}, { num_uses: 3 });
  assert.equal(await login('auth/approle/login', disabled), 200);
  const { accessor } = Object(await ask('GET', 'sys/auth/approle'));
  const entity = await ask('POST', 'identity/lookup/entity', {
    alias_name: 'disabled',
    alias_mount_accessor: accessor,
  });
  await ask('POST', `identity/entity/id/${String(at(entity, 'id'))}`, { disabled: true });
  await ask('POST', 'auth/userpass/users/ada', { password: 'right', token_bound_cidrs: ['10.0.0.0/8'] });
  await server.service.jobs.settle();

  const attempts: readonly (readonly [what: string, status: number, path: string, body: object, times: number])[] = [
    ['a wrong secret id', 400, 'auth/approle/login', { ...good, secret_id: 'wrong' }, 100],
    ['nobody', 400, 'auth/approle/login', { role_id: 'nobody', secret_id: 'x' }, 100],
    ['another address', 400, 'auth/approle/login', bound, 100],
    ['another address of the secret id', 400, 'auth/approle/login', narrow, 100],
    ['a disabled entity', 403, 'auth/approle/login', disabled, 100],
    ['no parameters', 400, 'auth/approle/login', {}, 100],
    ['another address of a user', 400, 'auth/userpass/login/ada', { password: 'right' }, 3],
    ['an unknown user', 400, 'auth/userpass/login/eve', { password: 'right' }, 3],
    ['no name', 400, 'auth/userpass/login/a%20b', { password: 'right' }, 100],
  ];
  for (const [what, status, path, body, times] of attempts) {
    const before = new Map(server.store.contents());
    const statuses = await Promise.all(Array.from({ length: times }, () => login(path, body)));
    assert.deepEqual(new Set(statuses), new Set([status]), what);
    const keys = [...server.store.contents().keys()].filter((key) => !before.has(key));
    assert.ok(keys.length <= 2 && keys.every((key) => /^mount\/[^/]+\/lockout\//.test(key)), `${what}: ${keys}`);
    const gone = [...before.keys()].filter((key) => !server.store.contents().has(key));
    assert.deepEqual(gone, [], what);
    const changed = [...before].filter(([key, value]) => server.store.contents().get(key)?.equals(value) === false);
    assert.ok(
      changed.every(([key]) => key.includes('/lockout/')),
      `${what}: ${changed.map(([key]) => key)}`,
    );
  }
  // None of them took a use of a secret id.
  for (const name of ['bound', 'narrow', 'counted']) {
    const [one] = Object.values(
      Object(at((await server.call('LIST', `auth/approle/role/${name}/secret-id`)).json, 'data', 'keys')),
    );
    const found = await ask('POST', `auth/approle/role/${name}/secret-id-accessor/lookup`, { secret_id_accessor: one });
    assert.equal(at(found, 'secret_id_num_uses'), 3, name);
  }
});

test('names that nobody has fill no store: they share a fixed number of records', async () => {
  const before = new Set(server.store.contents().keys());
  const tried = Array.from({ length: 300 }, (_, i) => login('auth/approle/login', { role_id: `unknown-${i}` }));
  await Promise.all(tried);
  const keys = [...server.store.contents().keys()].filter((key) => !before.has(key));
  assert.ok(keys.length > 0 && keys.every((key) => /\/lockout\/idle\/[\w-]{2}$/.test(key)), `${keys}`);
});

test('I2 no password, secret id or token stands in a log or in an error', async () => {
  const target = await startTarget();
  const secret = 'kanarienvogel';
  for (const type of ['approle', 'userpass']) await target.expect(204, 'POST', `sys/auth/${type}`, { body: { type } });
  await target.expect(204, 'POST', 'auth/approle/role/r', { body: { role_id: 'r' } });
  await target.expect(200, 'POST', 'auth/approle/role/r/custom-secret-id', { body: { secret_id: secret } });
  await target.expect(204, 'POST', 'auth/userpass/users/u', { body: { password: secret } });
  const none = { token: undefined };
  const asked: readonly (readonly [method: string, path: string, sent: object])[] = [
    ['POST', 'auth/approle/login', { ...none, body: { role_id: 'r', secret_id: `${secret}-wrong` } }],
    ['POST', 'auth/approle/login', { ...none, body: { role_id: secret, secret_id: secret } }],
    ['POST', 'auth/approle/login', { ...none, body: { role_id: 'r', secret_id: [secret] } }],
    ['POST', 'auth/approle/login', { ...none, body: { role_id: { [secret]: secret }, secret_id: secret.repeat(400) } }],
    ['POST', 'auth/approle/login', { ...none, body: `{"role_id":"r","secret_id":"${secret}` }],
    ['POST', `auth/approle/login?secret_id=${secret}`, { ...none, body: {} }],
    ['POST', 'auth/approle/role/r/secret-id/lookup', { body: { secret_id: [secret, {}] } }],
    ['POST', 'auth/approle/role/nobody/secret-id/lookup', { body: { secret_id: secret } }],
    ['POST', 'auth/approle/role/nobody/custom-secret-id', { body: { secret_id: secret } }],
    ['POST', 'auth/approle/role/r/custom-secret-id', { body: { secret_id: secret } }],
    ['POST', 'auth/approle/role/r/secret-id', { body: { metadata: secret, num_uses: secret } }],
    ['POST', 'auth/approle/role/r/secret-id', { body: { metadata: `{"${secret}":{}}` } }],
    ['POST', 'auth/userpass/login/u', { ...none, body: { password: `${secret}-wrong` } }],
    ['POST', 'auth/userpass/login/u', { ...none, body: { password: { [secret]: secret } } }],
    ['POST', 'auth/userpass/login/u', { ...none, body: { password: secret.repeat(100) } }],
    ['POST', `auth/userpass/login/u?password=${secret}`, { ...none, body: {} }],
    ['POST', 'auth/userpass/users/u', { body: { password: secret.repeat(100) } }],
    ['POST', 'auth/userpass/users/u', { body: { password_hash: secret } }],
    ['POST', 'auth/userpass/users/new', { body: { password: [secret] } }],
    ['POST', 'auth/userpass/users/nobody/password', { body: { password: secret } }],
    ['POST', 'sys/leases/renew', { body: { lease_id: secret, increment: secret } }],
    ['POST', 'sys/leases/lookup', { body: { lease_id: `auth/token/create/${secret}` } }],
    ['POST', 'auth/token/lookup', { token: secret, body: { token: secret } }],
    ['POST', 'identity/entity', { body: { metadata: { [`${secret} `]: secret }, policies: [`${secret} x`] } }],
  ];
  for (const [method, path, sent] of asked) {
    const { status, text, headers } = await target.send(method, path, sent);
    assert.ok(status >= 400 && status < 500, `${method} ${path}: ${status} ${text}`);
    assert.ok(!(text + JSON.stringify(headers)).includes(secret), `${method} ${path} repeats it: ${text}`);
  }
  const body = { role_id: 'r', secret_id: secret };
  const { json } = await target.expect(200, 'POST', 'auth/approle/login', { ...none, body });
  const token = String(at(json, 'auth', 'client_token'));
  await target.expect(200, 'POST', 'auth/userpass/login/u', { ...none, body: { password: secret } });
  // Nor in what is listed and read of them.
  for (const [method, path] of [
    ['GET', 'auth/userpass/users/u'],
    ['GET', 'auth/approle/role/r'],
    ['LIST', 'auth/approle/role/r/secret-id'],
    ['LIST', 'auth/token/accessors'],
    ['LIST', 'sys/leases/lookup/auth/approle/login'],
    ['LIST', 'identity/entity-alias/id'],
    ['GET', 'sys/locked-users'],
  ] as const) {
    const { text } = await target.expect(200, method, path);
    assert.ok(!text.includes(secret) && !text.includes(token), `${path}: ${text}`);
  }
  const logged = target.logged.join('\n');
  assert.ok(!logged.includes(secret) && !logged.includes(token));
});
