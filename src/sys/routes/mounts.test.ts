import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, TestServer } from '../testing.ts';

const box = (changes: object = {}) => ({ body: { type: 'box', ...changes } });

describe('sys/mounts', () => {
  test('mount, read, list, unmount; the members of data stand at the top too', async () => {
    const server = await TestServer.open();
    const config = { default_lease_ttl: '30m', listing_visibility: 'hidden' };
    const body = { type: 'small-box', description: 'mine', config, local: false, seal_wrap: false, plugin_name: null };
    assert.equal((await server.call('POST', 'sys/mounts/a/b', { body })).status, 204);
    const { json } = await server.call('GET', 'sys/mounts/a/b');
    const { accessor, uuid, ...rest } = { ...Object(at(json, 'data')) };
    assert.deepEqual(rest, {
      type: 'box',
      description: 'mine',
      options: { size: 'small' },
      local: false,
      seal_wrap: false,
      config: { default_lease_ttl: 1_800, max_lease_ttl: 0, force_no_cache: false, listing_visibility: 'hidden' },
    });
    for (const name of Object.keys(Object(at(json, 'data')))) assert.deepEqual(at(json, name), at(json, 'data', name));
    const all = (await server.call('GET', 'sys/mounts')).json;
    assert.deepEqual(at(all, 'a/b/'), { ...rest, accessor, uuid });
    assert.deepEqual(at(all, 'data', 'a/b/'), at(all, 'a/b/'));
    assert.equal((await server.call('DELETE', 'sys/mounts/a/b')).status, 204);
    assert.equal((await server.call('GET', 'sys/mounts/a/b')).status, 400);
    assert.equal((await server.call('GET', 'a/b/x')).status, 404);
    assert.equal((await server.call('DELETE', 'sys/mounts/a/b')).status, 204);
  });

  for (const [method, path, body, wanted] of [
    ['POST', 'sys/mounts/a', {}, 400],
    ['POST', 'sys/mounts/a', { type: 'nonsense' }, 400],
    ['POST', 'sys/mounts/a', { type: 'door' }, 400],
    ['POST', 'sys/mounts/a', { type: 'box', options: ['size'] }, 400],
    ['POST', 'sys/mounts/a', { type: 'box', plugin_version: 'v1' }, 400],
    ['POST', 'sys/mounts/a', { type: 'box', config: { default_lease_ttl: '3h', max_lease_ttl: '1h' } }, 400],
    ['POST', 'sys/mounts/sys', { type: 'box' }, 400],
    ['POST', 'sys/mounts/auth/a', { type: 'box' }, 400],
    ['POST', 'sys/mounts/used', { type: 'box' }, 400],
    ['POST', 'sys/mounts/used/below', { type: 'box' }, 400],
    ['POST', 'sys/mounts', { type: 'box' }, 405],
    ['DELETE', 'sys/mounts/sys', undefined, 400],
    ['GET', 'sys/mounts/auth/token', undefined, 400],
    ['GET', 'sys/mounts/', undefined, 400],
    ['GET', 'sys/mounts/none', undefined, 400],
    ['GET', 'sys/mounts/none/tune', undefined, 400],
    ['POST', 'sys/mounts/none/tune', { description: 'x' }, 400],
    ['POST', 'sys/mounts/tune', { type: 'box' }, 400],
    ['POST', 'sys/mounts/used/tune', { listing_visibility: 'everyone' }, 400],
    ['POST', 'sys/mounts/used/tune', { default_lease_ttl: '3h' }, 400],
    ['POST', 'sys/mounts/used/tune', { token_type: 'batch' }, 400],
    ['POST', 'sys/mounts/sys/tune', { description: 'x' }, 400],
  ] as const) {
    test(`${method} ${path} ${JSON.stringify(body)}: ${wanted}`, async () => {
      const server = await TestServer.open();
      await server.call('POST', 'sys/mounts/used', box());
      assert.equal((await server.call(method, path, { body })).status, wanted);
    });
  }

  test('tune changes settings, and reads what holds: the limits of the server where none are set', async () => {
    const server = await TestServer.open();
    await server.call('POST', 'sys/mounts/a', box({ description: 'one' }));
    const read = async () => at((await server.call('GET', 'sys/mounts/a/tune')).json, 'data');
    const held = { description: 'one', default_lease_ttl: 3_600, max_lease_ttl: 7_200, force_no_cache: false };
    assert.deepEqual(await read(), held);
    const body = { description: 'two', max_lease_ttl: '30m', options: { size: 'small' }, listing_visibility: 'unauth' };
    assert.equal((await server.call('POST', 'sys/mounts/a/tune', { body })).status, 204);
    const tuned = { description: 'two', default_lease_ttl: 1_800, max_lease_ttl: 1_800, listing_visibility: 'unauth' };
    assert.deepEqual(await read(), { ...held, ...tuned, options: { size: 'small' } });
  });

  test('a policy on one mount gives nothing on another', async () => {
    const server = await TestServer.open();
    const token = await server.tokenWith('path "sys/mounts/mine" { capabilities = ["update", "delete", "read"] }');
    assert.equal((await server.call('POST', 'sys/mounts/mine', { token, ...box() })).status, 204);
    assert.equal((await server.call('POST', 'sys/mounts/other', { token, ...box() })).status, 403);
    assert.equal((await server.call('POST', 'sys/mounts/mine/tune', { token, body: {} })).status, 403);
    assert.equal((await server.call('GET', 'sys/mounts', { token })).status, 403);
    assert.equal((await server.call('DELETE', 'sys/mounts/mine', { token })).status, 204);
  });
});
