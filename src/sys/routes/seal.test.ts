import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, TestServer } from '../testing.ts';

const none = { token: undefined };

describe('sys/seal, sys/rotate, sys/key-status', () => {
  test('seal and rotate need sudo, key-status the capability', async () => {
    const server = await TestServer.open();
    for (const path of ['sys/seal', 'sys/rotate', 'sys/rotate/keyring']) {
      const token = await server.tokenWith(`path "${path}" { capabilities = ["create", "update", "read"] }`);
      assert.equal((await server.call('PUT', path, { token })).status, 403, path);
      assert.equal((await server.call('PUT', path, none)).status, 403, path);
    }
    const token = await server.tokenWith('path "sys/key-status" { capabilities = ["read"] }');
    assert.equal((await server.call('GET', 'sys/key-status', { token })).status, 200);
    assert.equal((await server.call('GET', 'sys/key-status', none)).status, 403);
    assert.equal(server.service.barrier.sealed, false);
  });

  test('rotate begins a term; what was written before stays readable', async () => {
    const server = await TestServer.open();
    await server.call('POST', 'sys/mounts/box', { body: { type: 'box' } });
    await server.call('POST', 'box/a', { body: { value: 'old' } });
    const term = async () => at((await server.call('GET', 'sys/key-status')).json, 'term');
    assert.equal(await term(), 1);
    const token = await server.tokenWith('path "sys/rotate" { capabilities = ["update", "sudo"] }');
    assert.equal((await server.call('POST', 'sys/rotate', { token, body: {} })).status, 204);
    assert.equal(await term(), 2);
    assert.equal((await server.call('POST', 'sys/rotate/keyring')).status, 204);
    assert.equal(await term(), 3);
    assert.equal(at((await server.call('GET', 'box/a')).json, 'data', 'value'), 'old');
    const { json } = await server.call('GET', 'sys/key-status');
    assert.match(String(at(json, 'data', 'install_time')), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.equal(Number.isInteger(at(json, 'data', 'encryptions')), true);
  });

  test('seal answers, and all is shut but what tells the state (I7)', async () => {
    const server = await TestServer.open();
    const token = await server.tokenWith('path "sys/seal" { capabilities = ["update", "sudo"] }');
    assert.equal((await server.call('PUT', 'sys/seal', { token })).status, 204);
    for (const path of ['sys/mounts', 'sys/key-status', 'sys/internal/ui/mounts', 'auth/token/lookup-self', 'x']) {
      assert.equal((await server.call('GET', path)).status, 503, path);
    }
    for (const path of ['sys/init', 'sys/seal-status', 'sys/leader']) {
      assert.equal((await server.call('GET', path, none)).status, 200, path);
    }
  });
});
