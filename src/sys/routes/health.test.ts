import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { initialized, TestServer } from '../testing.ts';

const none = { token: undefined };

describe('sys/health', () => {
  const health = async (server: TestServer, query = '') =>
    (await server.call('GET', `sys/health${query}`, none)).status;

  test('the status follows the state, or the query', async () => {
    const { server, keys } = await initialized();
    const fresh = new TestServer();
    assert.deepEqual([await health(fresh), await health(fresh, '?uninitcode=299')], [501, 299]);
    assert.deepEqual([await health(server), await health(server, '?sealedcode=204')], [503, 204]);
    for (const key of keys.slice(0, 2)) await server.call('PUT', 'sys/unseal', { ...none, body: { key } });
    assert.deepEqual([await health(server), await health(server, '?activecode=299')], [200, 299]);
    assert.equal(
      await health(server, '?standbyok=true&perfstandbyok=1&sealedcode=204&uninitcode=204&standbycode=473'),
      200,
    );
  });

  for (const query of [
    'activecode=abc',
    'activecode=199',
    'activecode=600',
    'sealedcode=',
    'standbyok=maybe',
    'standbycode=1.5',
  ]) {
    test(`${query}: 400`, async () => assert.equal(await health(await TestServer.open(), `?${query}`), 400));
  }

  test('tells time and version, and the cluster while it is open', async () => {
    const server = await TestServer.open();
    const { json } = await server.call('GET', 'sys/health', none);
    const { server_time_utc: time, cluster_id: id, ...rest } = Object(json);
    assert.ok(Math.abs(time - Date.now() / 1_000) < 5);
    assert.match(id, /^[0-9a-f-]{36}$/);
    const state = { initialized: true, sealed: false, standby: false, performance_standby: false };
    assert.deepEqual(rest, { ...state, version: '9.9.9', cluster_name: 'test' });
  });
});
