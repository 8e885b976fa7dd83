import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, TestServer } from '../testing.ts';

describe('sys/remount', () => {
  const move = (from: string, to: string) => ({ body: { from, to } });

  async function fixture() {
    const server = await TestServer.open();
    await server.call('POST', 'sys/mounts/one', { body: { type: 'box' } });
    return server;
  }

  test('answers with a migration whose state can be read', async () => {
    const server = await fixture();
    const { status, json } = await server.call('POST', 'sys/remount', move('one', 'two'));
    const id = String(at(json, 'data', 'migration_id'));
    assert.equal(status, 200);
    const told = await server.call('GET', `sys/remount/status/${id}`);
    const info = { source_mount: 'one/', target_mount: 'two/', status: 'success' };
    assert.deepEqual([told.status, at(told.json, 'data')], [200, { migration_id: id, migration_info: info }]);
    const unknown = await server.call('GET', `sys/remount/status/${id}x`);
    assert.deepEqual([unknown.status, unknown.json], [404, { errors: [] }]);
  });

  for (const body of [{}, { from: 'one' }, { to: 'two' }, { from: 'one', to: {} }, { from: 'one', to: '\ud800' }]) {
    test(`${JSON.stringify(body)}: 400`, async () => {
      assert.equal((await (await fixture()).call('POST', 'sys/remount', { body })).status, 400);
    });
  }

  test('needs sudo; who may not move hears the same of every path; the state is told to who may read it', async () => {
    const server = await fixture();
    const rule = (path: string, list: string) => `path "${path}" { capabilities = [${list}] }`;
    const plain = await server.tokenWith(rule('sys/remount', '"create", "update"') + rule('one/*', '"read"'));
    const sudo = await server.tokenWith(rule('sys/remount', '"update", "sudo"'));
    const reader = await server.tokenWith(rule('sys/remount/status/*', '"read"'));
    for (const [from, to] of [
      ['one', 'two'],
      ['none', 'two'],
      ['sys', '..'],
    ] as const) {
      assert.equal((await server.call('POST', 'sys/remount', { ...move(from, to), token: plain })).status, 403);
      assert.equal((await server.call('POST', 'sys/remount', { ...move(from, to), token: undefined })).status, 403);
    }
    const { status, json } = await server.call('POST', 'sys/remount', { ...move('one', 'two'), token: sudo });
    assert.equal(status, 200);
    const path = `sys/remount/status/${String(at(json, 'data', 'migration_id'))}`;
    assert.equal((await server.call('GET', path, { token: sudo })).status, 403);
    assert.equal((await server.call('GET', path, { token: reader })).status, 200);
  });

  test('policies keep to the paths they name', async () => {
    const server = await fixture();
    const token = await server.tokenWith('path "one/*" { capabilities = ["update", "read"] }');
    const write = (path: string) => server.call('POST', path, { token, body: { value: 'x' } });
    assert.equal((await write('one/x')).status, 204);
    await server.call('POST', 'sys/remount', move('one', 'two'));
    assert.equal((await server.call('GET', 'two/x', { token })).status, 403);
    assert.equal((await server.call('GET', 'one/x', { token })).status, 404);
  });
});
