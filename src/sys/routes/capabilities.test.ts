import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, TestServer } from '../testing.ts';

const POLICY = 'path "a/*" { capabilities = ["update", "read"] } path "a/no" { capabilities = ["deny"] }';

/** A server, and a token of this policy with its accessor. */
async function start(more: object = {}) {
  const server = await TestServer.open();
  await server.call('POST', 'sys/policies/acl/p', { body: { policy: POLICY } });
  const body = { policies: ['p'], no_default_policy: true, ...more };
  const { json } = await server.call('POST', 'auth/token/create', { body });
  return { server, token: String(at(json, 'auth', 'client_token')), accessor: String(at(json, 'auth', 'accessor')) };
}

describe('what another token may do', () => {
  test('by its value and by its accessor, sorted, at both levels', async () => {
    const { server, token, accessor } = await start();
    const paths = ['a/x', 'a/no', 'b'];
    for (const [endpoint, who] of [
      ['capabilities', { token }],
      ['capabilities-accessor', { accessor }],
    ] as const) {
      const { status, json } = await server.call('POST', `sys/${endpoint}`, { body: { ...who, paths } });
      assert.equal(status, 200);
      const wanted = { 'a/x': ['read', 'update'], 'a/no': ['deny'], b: ['deny'] };
      assert.deepEqual(at(json, 'data'), wanted);
      for (const path of paths) assert.deepEqual(at(json, path), at(wanted, path));
      const one = await server.call('PUT', `sys/${endpoint}`, { body: { ...who, path: 'a/x' } });
      assert.deepEqual(at(one.json, 'data'), { capabilities: ['read', 'update'], 'a/x': ['read', 'update'] });
      assert.deepEqual(at(one.json, 'capabilities'), ['read', 'update']);
    }
    const root = await server.call('POST', 'sys/capabilities', { body: { token: server.root, path: 'x' } });
    assert.deepEqual(at(root.json, 'capabilities'), ['root']);
  });

  test('asking costs that token nothing', async () => {
    const { server, token } = await start({ num_uses: 1 });
    for (let i = 0; i < 3; i += 1) {
      assert.equal((await server.call('POST', 'sys/capabilities', { body: { token, path: 'a/x' } })).status, 200);
    }
  });

  test('an unknown, a dead and a malformed one are the same 400 (H1)', async () => {
    const { server, token, accessor } = await start();
    await server.call('POST', 'auth/token/revoke', { body: { token } });
    for (const [endpoint, name, values] of [
      ['capabilities', 'token', [token, 's.none', 'none', 's.', 'x'.repeat(10_000)]],
      ['capabilities-accessor', 'accessor', [accessor, 'none', '', '../x', 'x'.repeat(10_000)]],
    ] as const) {
      const answers = [];
      for (const value of values) {
        const { status, json } = await server.call('POST', `sys/${endpoint}`, { body: { [name]: value, path: 'a' } });
        answers.push([status, json]);
      }
      for (const answer of answers) assert.deepEqual(answer, [400, { errors: [`${name}: is not valid`] }]);
    }
  });

  for (const [endpoint, body] of [
    ['capabilities', { path: 'a' }],
    ['capabilities', { token: 'T' }],
    ['capabilities', { token: 'T', paths: [] }],
    ['capabilities', { token: 'T', paths: [''] }],
    ['capabilities', { token: 'T', paths: Array.from({ length: 257 }, (_, i) => `p${i}`) }],
    ['capabilities-accessor', { path: 'a' }],
    ['capabilities-accessor', { accessor: 'A' }],
  ] as const) {
    test(`${endpoint} ${JSON.stringify(body).slice(0, 60)} is 400`, async () => {
      const { server, token, accessor } = await start();
      const filled = Object.fromEntries(
        Object.entries(body).map(([name, value]) => [name, value === 'T' ? token : value === 'A' ? accessor : value]),
      );
      assert.equal((await server.call('POST', `sys/${endpoint}`, { body: filled })).status, 400);
    });
  }

  test('it needs a policy; the default one does not do', async () => {
    const { server, token } = await start();
    for (const endpoint of ['capabilities', 'capabilities-accessor']) {
      assert.equal((await server.call('POST', `sys/${endpoint}`, { token, body: { token, path: 'a' } })).status, 403);
    }
  });
});
