import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, TestServer } from '../../testing.ts';

const TEXT = 'path "a/*" { capabilities = ["read"] }';

describe('sys/policies/acl', () => {
  test('write, read, delete, twice', async () => {
    const server = await TestServer.open();
    assert.equal((await server.call('POST', 'sys/policies/acl/p', { body: { policy: TEXT } })).status, 204);
    const { json } = await server.call('GET', 'sys/policies/acl/p');
    assert.deepEqual(at(json, 'data'), { name: 'p', policy: TEXT });
    assert.equal(at(json, 'policy'), TEXT);
    for (let i = 0; i < 2; i++) assert.equal((await server.call('DELETE', 'sys/policies/acl/p')).status, 204);
    const gone = await server.call('GET', 'sys/policies/acl/p');
    assert.deepEqual([gone.status, gone.json], [404, { errors: [] }]);
  });

  test('JSON and base64 are taken; what is read is the text', async () => {
    const server = await TestServer.open();
    const json = JSON.stringify({ path: { 'a/*': { capabilities: ['read'] } } });
    for (const [given, text] of [
      [json, json],
      [Buffer.from(TEXT).toString('base64'), TEXT],
    ]) {
      assert.equal((await server.call('PUT', 'sys/policies/acl/p', { body: { policy: given } })).status, 204);
      assert.equal(at((await server.call('GET', 'sys/policies/acl/p')).json, 'policy'), text);
    }
  });

  for (const [method, name, body, wanted] of [
    ['POST', 'p', {}, 400],
    ['POST', 'p', { policy: '' }, 400],
    ['POST', 'p', { policy: TEXT, ttl: '1h' }, 400],
    ['POST', 'p', { policy: TEXT, expiration: '2031-01-01T00:00:00Z' }, 400],
    ['POST', 'p', { policy: TEXT, cas: 1 }, 400],
    ['POST', 'p', { policy: 'path "a' }, 400],
    ['POST', 'p', { policy: 'path "a" { capabilities = ["fly"] }' }, 400],
    ['POST', 'root', { policy: TEXT }, 400],
    ['POST', 'ROOT%20', { policy: TEXT }, 400],
    ['POST', 'a%5Cb', { policy: TEXT }, 400],
    ['POST', '..', { policy: TEXT }, 400],
    ['POST', '%2e%2e%2froot', { policy: TEXT }, 400],
    ['POST', 'a..b', { policy: TEXT }, 400],
    ['DELETE', 'root', undefined, 400],
    ['DELETE', 'Root', undefined, 400],
    ['DELETE', 'default', undefined, 400],
    ['DELETE', 'DEFAULT', undefined, 400],
    ['POST', 'default', { policy: TEXT }, 204],
    ['GET', 'root', undefined, 200],
  ] as const) {
    test(`${method} ${name} ${JSON.stringify(body)}: ${wanted}`, async () => {
      const server = await TestServer.open();
      assert.equal((await server.call(method, `sys/policies/acl/${name}`, { body })).status, wanted);
      assert.equal((await server.call('GET', 'sys/policies/acl/p')).status, 404);
    });
  }

  test('another spelling of a name is the same policy, with a warning (A3)', async () => {
    const server = await TestServer.open();
    const { status, json } = await server.call('POST', 'sys/policies/acl/%20AbC', { body: { policy: TEXT } });
    assert.deepEqual([status, at(json, 'data')], [200, null]);
    assert.equal(Object(at(json, 'warnings')).length, 1);
    assert.equal(at((await server.call('GET', 'sys/policies/acl/ABC')).json, 'name'), 'abc');
    assert.equal((await server.call('DELETE', 'sys/policies/acl/Abc')).status, 204);
    assert.equal((await server.call('GET', 'sys/policies/acl/abc')).status, 404);
  });

  test('the list is sorted and paged, root at its place', async () => {
    const server = await TestServer.open();
    for (const name of ['zeta', 'alpha', 'rooted', 'roos']) {
      await server.call('POST', `sys/policies/acl/${name}`, { body: { policy: TEXT } });
    }
    const keys = async (query: string) =>
      at((await server.call('LIST', `sys/policies/acl${query}`)).json, 'data', 'keys');
    const all = ['alpha', 'default', 'roos', 'root', 'rooted', 'zeta'];
    assert.deepEqual(await keys(''), all);
    for (let i = 0; i < all.length - 1; i++) {
      assert.deepEqual(await keys(`?after=${all[i]}`), all.slice(i + 1));
      assert.deepEqual(await keys(`?after=${all[i]}&limit=2`), all.slice(i + 1, i + 3));
      assert.deepEqual(await keys(`?limit=${i + 1}`), all.slice(0, i + 1));
    }
    assert.equal((await server.call('LIST', 'sys/policies/acl?after=zeta')).status, 404);
  });

  test('a change holds for the tokens there are from the next request on', async () => {
    const server = await TestServer.open();
    await server.call('POST', 'sys/policies/acl/p', { body: { policy: TEXT } });
    const body = { policies: ['p'], no_default_policy: true };
    const token = String(at((await server.call('POST', 'auth/token/create', { body })).json, 'auth', 'client_token'));
    const may = async () => (await server.call('GET', 'sys/mounts', { token })).status;
    assert.equal(await may(), 403);
    const policy = 'path "sys/mounts" { capabilities = ["read"] }';
    await server.call('POST', 'sys/policies/acl/p', { body: { policy } });
    assert.equal(await may(), 200);
    await server.call('DELETE', 'sys/policies/acl/p');
    assert.equal(await may(), 403);
  });
});
