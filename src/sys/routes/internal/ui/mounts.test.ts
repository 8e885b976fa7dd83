import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, TestServer } from '../../../testing.ts';

const box = (changes: object = {}) => ({ body: { type: 'box', ...changes } });

describe('sys/internal/ui/mounts', () => {
  const names = (json: unknown, kind: string) => Object.keys(Object(at(json, 'data', kind)));

  async function fixture() {
    const server = await TestServer.open();
    await server.call('POST', 'sys/mounts/open', box({ config: { listing_visibility: 'unauth' } }));
    for (const path of ['shut', 'other/box']) await server.call('POST', `sys/mounts/${path}`, box());
    await server.call('POST', 'sys/auth/door', { body: { type: 'door', config: { listing_visibility: 'unauth' } } });
    return server;
  }

  test('without a token: what is shown to everyone, in brief', async () => {
    const { json, status } = await (await fixture()).call('GET', 'sys/internal/ui/mounts', { token: undefined });
    const brief = (type: string) => ({ type, description: '', options: null });
    assert.equal(status, 200);
    assert.deepEqual(at(json, 'data'), { secret: { 'open/': brief('box') }, auth: { 'door/': brief('door') } });
    assert.equal(at(json, 'auth'), null);
  });

  test('with a token: that, and what the token reaches, whole', async () => {
    const server = await fixture();
    const token = await server.tokenWith('path "other/box/some/+/secret" { capabilities = ["read"] }');
    const { json } = await server.call('GET', 'sys/internal/ui/mounts', { token });
    assert.deepEqual([names(json, 'secret'), names(json, 'auth')], [['open/', 'other/box/'], ['door/']]);
    assert.equal(typeof at(json, 'data', 'secret', 'other/box/', 'accessor'), 'string');
    assert.equal(at(json, 'data', 'secret', 'open/', 'accessor'), undefined);
    const all = (await server.call('GET', 'sys/internal/ui/mounts')).json;
    assert.deepEqual(
      [names(all, 'secret'), names(all, 'auth')],
      [
        ['sys/', 'identity/', 'cubbyhole/', 'open/', 'shut/', 'other/box/'],
        ['token/', 'door/'],
      ],
    );
  });

  test('with a token that is none: 403', async () => {
    assert.equal((await (await fixture()).call('GET', 'sys/internal/ui/mounts', { token: 's.none' })).status, 403);
  });

  test('of one path: the mount it lies in, where anything of it is open to the token', async () => {
    const server = await fixture();
    const token = await server.tokenWith('path "other/box/secret" { capabilities = ["read"] }');
    for (const path of ['other/box', 'other/box/', 'other/box/secret', 'other/box/some/thing']) {
      const { status, json } = await server.call('GET', `sys/internal/ui/mounts/${path}`, { token });
      assert.deepEqual([status, at(json, 'data', 'path'), at(json, 'data', 'type')], [200, 'other/box/', 'box'], path);
    }
  });

  test('unknown, not open and denied read the same, to the byte (A13)', async () => {
    const server = await fixture();
    const token = await server.tokenWith(
      'path "other/*" { capabilities = ["read"] } path "shut/*" { capabilities = ["deny"] }',
    );
    const paths = ['none', 'none/x', 'shut', 'shut/x', 'open', 'other', 'auth/door', 'sys'];
    for (const path of paths) {
      const { status, json } = await server.call('GET', `sys/internal/ui/mounts/${path}`, { token });
      const errors = ['preflight capability check returned 403: the token has no capability on this path'];
      assert.deepEqual([status, json], [403, { errors }], path);
      assert.equal((await server.call('GET', `sys/internal/ui/mounts/${path}`, { token: undefined })).status, 403);
    }
  });
});
