import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, initialized, TestServer } from '../testing.ts';

const none = { token: undefined };

describe('sys/init', () => {
  test('makes keys and a root token, once', async () => {
    const { server, json, keys } = await initialized();
    assert.deepEqual(Object.keys(Object(json)), ['keys', 'keys_base64', 'root_token']);
    assert.deepEqual(
      at(json, 'keys_base64'),
      keys.map((key) => Buffer.from(key, 'hex').toString('base64')),
    );
    assert.match(String(at(json, 'root_token')), /^s\.[A-Za-z0-9_-]{32,}$/);
    assert.deepEqual((await server.call('GET', 'sys/init', none)).json, { initialized: true });
    const again = await server.call('PUT', 'sys/init', { ...none, body: { secret_shares: 1, secret_threshold: 1 } });
    assert.equal(again.status, 400);
    assert.match(JSON.stringify(again.json), /already initialized/);
  });

  for (const [peer, wanted] of [
    ['127.0.0.1', 200],
    ['127.255.255.254', 200],
    ['::1', 200],
    ['128.0.0.1', 403],
    ['10.0.0.1', 403],
    ['::2', 403],
    ['127.0.0.1.evil', 403],
    ['fe80::1', 403],
  ] as const) {
    test(`from ${peer}: ${wanted}`, async () => {
      const server = new TestServer();
      const body = { secret_shares: 1, secret_threshold: 1 };
      assert.equal((await server.call('POST', 'sys/init', { ...none, body, peer })).status, wanted);
      assert.deepEqual((await server.call('GET', 'sys/init', none)).json, { initialized: wanted === 200 });
    });
  }

  for (const [token, configured, wanted] of [
    ['set-up', 'set-up', 200],
    ['set-uq', 'set-up', 403],
    ['set-up2', 'set-up', 403],
    [undefined, 'set-up', 403],
    ['set-up', undefined, 403],
    [undefined, undefined, 403],
  ] as const) {
    test(`from elsewhere with ${token} where ${configured} is configured: ${wanted}`, async () => {
      const server = new TestServer({}, undefined, configured);
      const body = { secret_shares: 1, secret_threshold: 1 };
      assert.equal((await server.call('POST', 'sys/init', { token, body, peer: '10.0.0.1' })).status, wanted);
    });
  }

  const shares = { secret_shares: 3, secret_threshold: 2 };
  for (const body of [
    {},
    { secret_shares: 1 },
    { secret_shares: 5, secret_threshold: 1 },
    { secret_shares: 256, secret_threshold: 2 },
    { secret_shares: '1.5', secret_threshold: 1 },
    { ...shares, recovery_shares: 1, recovery_threshold: 1 },
    { ...shares, pgp_keys: ['key'] },
    { ...shares, root_token_pgp_key: 'key' },
  ]) {
    test(`${JSON.stringify(body)}: 400, and nothing is made`, async () => {
      const { server, status } = await initialized(body);
      assert.equal(status, 400);
      assert.deepEqual((await server.call('GET', 'sys/init', none)).json, { initialized: false });
    });
  }

  test('what stock clients send along empty is no mistake', async () => {
    const empty = {
      pgp_keys: null,
      recovery_pgp_keys: [],
      root_token_pgp_key: '',
      recovery_shares: 0,
      stored_shares: 1,
    };
    assert.equal((await initialized({ ...shares, ...empty })).status, 200);
  });

  describe('of a server that opens by itself', () => {
    /** A device that wraps by nothing at all. */
    const device = {
      type: 'device',
      wrap: (key: Buffer) => Buffer.from(key),
      unwrap: (key: Buffer) => Buffer.from(key),
    };

    test('makes recovery keys, and opens', async () => {
      const server = new TestServer({}, device);
      const body = { recovery_shares: 3, recovery_threshold: 2 };
      const { json, status } = await server.call('PUT', 'sys/init', { ...none, body });
      assert.equal(status, 200);
      assert.deepEqual([at(json, 'keys'), at(json, 'keys_base64')], [[], []]);
      const keys = Array.from(Object(at(json, 'recovery_keys')), String);
      assert.equal(new Set(keys).size, 3);
      const base64 = keys.map((key) => Buffer.from(key, 'hex').toString('base64'));
      assert.deepEqual(at(json, 'recovery_keys_base64'), base64);
      assert.equal((await server.call('GET', 'sys/mounts', { token: String(at(json, 'root_token')) })).status, 200);
      const seal = (await server.call('GET', 'sys/seal-status', none)).json;
      assert.deepEqual([at(seal, 'type'), at(seal, 'recovery_seal'), at(seal, 'sealed')], ['device', true, false]);
    });

    for (const body of [{ secret_shares: 1, secret_threshold: 1 }, {}]) {
      test(`${JSON.stringify(body)}: 400, and nothing is made`, async () => {
        const server = new TestServer({}, device);
        assert.equal((await server.call('PUT', 'sys/init', { ...none, body })).status, 400);
        assert.deepEqual((await server.call('GET', 'sys/init', none)).json, { initialized: false });
      });
    }
  });
});

test('an answer that was to be wrapped does not go out in clear', async () => {
  const server = new TestServer();
  const body = { secret_shares: 1, secret_threshold: 1 };
  for (const [ttl, status] of [
    ['60', 400],
    ['-1', 400],
    ['0', 200],
  ] as const) {
    const headers = { 'x-vault-wrap-ttl': ttl };
    assert.equal((await server.call('PUT', 'sys/init', { token: undefined, body, headers })).status, status);
  }
});
