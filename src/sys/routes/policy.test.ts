import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, TestServer } from '../testing.ts';

const TEXT = 'path "a/*" { capabilities = ["read"] }';

describe('sys/policy, the older path', () => {
  test('the same policies, read as rules and listed as policies', async () => {
    const server = await TestServer.open();
    assert.equal((await server.call('PUT', 'sys/policy/p', { body: { policy: TEXT } })).status, 204);
    assert.equal(at((await server.call('GET', 'sys/policies/acl/p')).json, 'policy'), TEXT);
    const { json } = await server.call('GET', 'sys/policy/P');
    assert.deepEqual([at(json, 'data'), at(json, 'rules')], [{ name: 'p', rules: TEXT }, TEXT]);
    const listed = (await server.call('GET', 'sys/policy')).json;
    const names = ['default', 'p', 'root'];
    assert.deepEqual(at(listed, 'data'), { keys: names, policies: names });
    assert.deepEqual(at(listed, 'policies'), names);
    assert.deepEqual(at((await server.call('LIST', 'sys/policy')).json, 'data', 'keys'), names);
    for (let i = 0; i < 2; i += 1) assert.equal((await server.call('DELETE', 'sys/policy/p')).status, 204);
    const gone = await server.call('GET', 'sys/policy/p');
    assert.deepEqual([gone.status, gone.json], [404, { errors: [] }]);
  });

  test('the older name of the text is taken with a warning', async () => {
    const server = await TestServer.open();
    const { status, json } = await server.call('POST', 'sys/policy/p', { body: { rules: TEXT } });
    assert.deepEqual([status, Object(at(json, 'warnings')).length], [200, 1]);
    assert.equal(at((await server.call('GET', 'sys/policy/p')).json, 'rules'), TEXT);
    const both = await server.call('POST', 'sys/policy/p', { body: { rules: TEXT, policy: `${TEXT}#` } });
    assert.equal(both.status, 204);
    assert.equal(at((await server.call('GET', 'sys/policy/p')).json, 'rules'), `${TEXT}#`);
  });

  test('names are trimmed and lower-cased, with a warning', async () => {
    const server = await TestServer.open();
    assert.equal((await server.call('POST', 'sys/policy/%20AbC', { body: { policy: TEXT } })).status, 200);
    assert.equal((await server.call('GET', 'sys/policy/abc')).status, 200);
  });

  for (const [method, name, body] of [
    ['POST', 'p', {}],
    ['POST', 'p', { policy: '' }],
    ['POST', 'p', { rules: 'path "a' }],
    ['POST', 'root', { policy: TEXT }],
    ['POST', 'Response-Wrapping', { policy: TEXT }],
    ['DELETE', 'root', undefined],
    ['DELETE', 'default', undefined],
    ['DELETE', 'response-wrapping', undefined],
  ] as const) {
    test(`${method} ${name} ${JSON.stringify(body)}: 400`, async () => {
      const server = await TestServer.open();
      for (const path of ['policy', 'policies/acl']) {
        assert.equal((await server.call(method, `sys/${path}/${name}`, { body })).status, 400);
      }
    });
  }

  test('the default policy may be changed; what it grants first is what the family’s clients count on', async () => {
    const server = await TestServer.open();
    const create = async () => at((await server.call('POST', 'auth/token/create', { body: {} })).json, 'auth');
    const body = { policies: ['default'] };
    const made = await server.call('POST', 'auth/token/create', { body });
    const token = String(at(made.json, 'auth', 'client_token'));
    const ask = async () => {
      const wanted = {
        'auth/token/lookup-self': 'read',
        'auth/token/renew-self': 'update',
        'auth/token/revoke-self': 'update',
        'sys/capabilities-self': 'update',
        'sys/internal/ui/resultant-acl': 'read',
        'sys/leases/renew': 'update',
        'sys/leases/lookup': 'update',
        'cubbyhole/x': 'create,delete,list,read,update',
        'sys/wrapping/wrap': 'update',
        'sys/wrapping/lookup': 'update',
        'sys/wrapping/unwrap': 'update',
        'sys/tools/hash': 'update',
        'sys/tools/hash/sha2-256': 'update',
        'identity/entity/id/x': 'deny',
        'sys/mounts': 'deny',
        'auth/token/create': 'deny',
      };
      const { json } = await server.call('POST', 'sys/capabilities', { body: { token, paths: Object.keys(wanted) } });
      const data = Object.entries(Object(at(json, 'data')));
      assert.deepEqual(Object.fromEntries(data.map(([path, list]) => [path, String(list)])), wanted);
    };
    await ask();
    assert.ok(await create());
    assert.equal((await server.call('POST', 'sys/policy/default', { body: { policy: TEXT } })).status, 204);
    assert.equal((await server.call('GET', 'auth/token/lookup-self', { token })).status, 403);
  });
});
