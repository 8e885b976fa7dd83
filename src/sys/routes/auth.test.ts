import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, TestServer } from '../testing.ts';

describe('sys/auth', () => {
  const door = { body: { type: 'door' } };

  test('enable, read, list, tune under both paths, disable', async () => {
    const server = await TestServer.open();
    const config = { default_lease_ttl: '30m' };
    assert.equal((await server.call('POST', 'sys/auth/d', { body: { type: 'door', config } })).status, 204);
    const { json } = await server.call('GET', 'sys/auth/d');
    const wanted = { default_lease_ttl: 1_800, max_lease_ttl: 0, force_no_cache: false, token_type: 'default-service' };
    assert.deepEqual(at(json, 'data', 'config'), wanted);
    assert.deepEqual(at((await server.call('GET', 'sys/auth')).json, 'd/'), at(json, 'data'));
    assert.equal((await server.call('POST', 'auth/d/x', { body: { value: 'x' } })).status, 204);
    await server.call('POST', 'sys/auth/d/tune', { body: { token_type: 'batch', max_lease_ttl: '1h' } });
    await server.call('POST', 'sys/mounts/auth/d/tune', { body: { description: 'new' } });
    const held = { description: 'new', default_lease_ttl: 1_800, max_lease_ttl: 3_600, token_type: 'batch' };
    for (const path of ['sys/auth/d/tune', 'sys/mounts/auth/d/tune']) {
      assert.deepEqual(at((await server.call('GET', path)).json, 'data'), { ...held, force_no_cache: false });
    }
    assert.equal((await server.call('DELETE', 'sys/auth/d')).status, 204);
    assert.equal((await server.call('GET', 'sys/auth/d')).status, 400);
    assert.equal((await server.call('GET', 'auth/d/x')).status, 404);
  });

  for (const [method, path, body, wanted] of [
    ['POST', 'sys/auth/a', {}, 400],
    ['POST', 'sys/auth/a', { type: 'box' }, 400],
    ['POST', 'sys/auth/a', { type: 'token' }, 400],
    ['POST', 'sys/auth/token', { type: 'door' }, 400],
    ['POST', 'sys/auth/used', { type: 'door' }, 400],
    ['POST', 'sys/auth/used/x', { type: 'door' }, 400],
    ['DELETE', 'sys/auth/token', undefined, 400],
    ['DELETE', 'sys/auth/none', undefined, 204],
    ['GET', 'sys/auth/none', undefined, 400],
    ['GET', 'sys/auth/none/tune', undefined, 400],
    ['POST', 'sys/auth/none/tune', {}, 400],
    ['POST', 'sys/auth/used/tune', { token_type: 'root' }, 400],
  ] as const) {
    test(`${method} ${path} ${JSON.stringify(body)}: ${wanted}`, async () => {
      const server = await TestServer.open();
      await server.call('POST', 'sys/auth/used', door);
      assert.equal((await server.call(method, path, { body })).status, wanted);
    });
  }

  test('all of it but the list needs sudo', async () => {
    const server = await TestServer.open();
    const capabilities = ['create', 'read', 'update', 'delete', 'list'];
    const rules = (list: readonly string[]) =>
      `path "sys/auth" { capabilities = ["read"] } path "sys/auth/*" { capabilities = ${JSON.stringify(list)} }`;
    const plain = await server.tokenWith(rules(capabilities));
    const sudo = await server.tokenWith(rules([...capabilities, 'sudo']));
    for (const [method, path, body] of [
      ['POST', 'sys/auth/a', door.body],
      ['GET', 'sys/auth/a', undefined],
      ['GET', 'sys/auth/a/tune', undefined],
      ['POST', 'sys/auth/a/tune', { description: 'x' }],
      ['DELETE', 'sys/auth/a', undefined],
    ] as const) {
      assert.equal((await server.call(method, path, { token: plain, body })).status, 403, `${method} ${path}`);
      const { status } = await server.call(method, path, { token: sudo, body });
      assert.ok([200, 204].includes(status), `${method} ${path}: ${status}`);
    }
    assert.equal((await server.call('GET', 'sys/auth', { token: plain })).status, 200);
  });
});

describe('lifetimes of a mount', () => {
  const ttlOf = async (server: TestServer, body: object): Promise<readonly unknown[]> => {
    const { json } = await server.call('POST', 'auth/token/create', { body: { policies: ['default'], ...body } });
    return [at(json, 'auth', 'lease_duration'), at(json, 'warnings') !== null];
  };

  test('those of the token method hold for the next token, and 0 gives way to the server again', async () => {
    const server = await TestServer.open();
    assert.deepEqual(await ttlOf(server, {}), [3_600, false]);
    await server.call('POST', 'sys/auth/token/tune', { body: { default_lease_ttl: 60, max_lease_ttl: '2m' } });
    assert.deepEqual(await ttlOf(server, {}), [60, false]);
    assert.deepEqual(await ttlOf(server, { ttl: '2m' }), [120, false]);
    assert.deepEqual(await ttlOf(server, { ttl: 121 }), [120, true]);
    await server.call('POST', 'sys/mounts/auth/token/tune', {
      body: { default_lease_ttl: 0, max_lease_ttl: 'system' },
    });
    assert.deepEqual(await ttlOf(server, {}), [3_600, false]);
  });

  test('a maximum alone cuts the default of the server', async () => {
    const server = await TestServer.open();
    await server.call('POST', 'sys/auth/token/tune', { body: { max_lease_ttl: 60 } });
    assert.deepEqual(await ttlOf(server, {}), [60, false]);
  });
});
