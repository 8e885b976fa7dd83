import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, initialized, TestServer } from '../testing.ts';

const none = { token: undefined };

describe('sys/unseal', () => {
  const give = (server: TestServer, body: object) => server.call('PUT', 'sys/unseal', { ...none, body });

  test('takes hex of either case and base64, and opens with the last one needed', async () => {
    const { server, keys } = await initialized();
    const first = (await give(server, { key: keys[0]?.toUpperCase() })).json;
    assert.deepEqual([at(first, 'sealed'), at(first, 'progress'), at(first, 't'), at(first, 'n')], [true, 1, 2, 3]);
    assert.equal(at(first, 'cluster_id'), undefined);
    const key = Buffer.from(keys[2] ?? '', 'hex').toString('base64');
    const last = (await give(server, { key })).json;
    assert.deepEqual([at(last, 'sealed'), at(last, 'progress'), at(last, 'cluster_name')], [false, 0, 'test']);
  });

  test('the nonce is for those who give shares (I1)', async () => {
    const { server, keys } = await initialized();
    assert.match(String(at((await give(server, { key: keys[0] })).json, 'nonce')), /^[0-9a-f-]{36}$/);
    const { json } = await server.call('GET', 'sys/seal-status', none);
    assert.deepEqual([at(json, 'progress'), at(json, 'nonce')], [1, '']);
    const { json: reset } = await give(server, { reset: true });
    assert.deepEqual([at(reset, 'progress'), at(reset, 'nonce')], [0, '']);
  });

  for (const body of [
    {},
    { key: '' },
    { key: 'zz' },
    { key: 'abcd' },
    { key: 'ab c' },
    { migrate: true, key: 'x' },
    { key: [] },
  ]) {
    test(`${JSON.stringify(body)}: 400`, async () => {
      const { server } = await initialized();
      assert.equal((await give(server, body)).status, 400);
      assert.equal(at((await server.call('GET', 'sys/seal-status', none)).json, 'progress'), 0);
    });
  }

  test('base64 has one spelling', async () => {
    const { server, keys } = await initialized();
    const text = Buffer.from(keys[0] ?? '', 'hex').toString('base64');
    for (const key of [` ${text}`, `${text}\n`, `${text}=`, text.replaceAll('=', '-'), `${text.slice(0, -1)}-`]) {
      assert.equal((await give(server, { key })).status, key === text ? 200 : 400, JSON.stringify(key));
    }
  });

  test('before init, and a reset of an open server: 400', async () => {
    assert.equal((await give(new TestServer(), { key: 'ab'.repeat(33) })).status, 400);
    assert.equal((await give(await TestServer.open(), { reset: true })).status, 400);
  });
});
