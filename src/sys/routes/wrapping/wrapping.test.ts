import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../testing.ts';
import { INVALID, MINUTE, open, sentence } from './testing.ts';

test('of 64 who unwrap at once exactly one gets the answer (B13)', async () => {
  const { call, wrapped, records } = await open();
  const before = records();
  const token = await wrapped('GET', 'box/a');
  const own = { token, body: {} };
  const statuses = await Promise.all(
    Array.from({ length: 64 }, async (_, i) => {
      const action = i % 3 === 0 ? 'rewrap' : 'unwrap';
      const sent = i % 3 === 1 ? own : { body: { token } };
      return (await call('POST', `sys/wrapping/${action}`, sent)).status;
    }),
  );
  assert.deepEqual(statuses.sort().slice(0, 2), [200, 400]);
  assert.ok(records().length - before.length <= 4, 'one token at most, where it was wrapped anew');
});

describe('sys/wrapping', () => {
  test('wrap: without the header 400, with it any object', async () => {
    const { call, wrapped, unwrap } = await open();
    for (const headers of [{}, { 'x-service-wrap-ttl': '0' }]) {
      const { status, json } = await call('POST', 'sys/wrapping/wrap', { body: { a: 1 }, headers });
      assert.equal(status, 400);
      assert.match(String(at(json, 'errors', '0')), /^X-Service-Wrap-TTL: is required/);
    }
    const form = { body: 'a=1&b=%22', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
    for (const [sent, data] of [
      [{ body: {} }, {}],
      [{}, {}],
      [{ body: { token: 'x', data: { data: 1 } } }, { token: 'x', data: { data: 1 } }],
      [form, { a: '1', b: '"' }],
    ] as const) {
      const { json } = await unwrap(await wrapped('POST', 'sys/wrapping/wrap', sent));
      assert.deepEqual(at(json, 'data'), data);
    }
    for (const body of ['[]', '"a"', '{']) {
      assert.equal((await call('POST', 'sys/wrapping/wrap', { body, ...MINUTE })).status, 400);
    }
  });

  test('unwrap: by the wrapping token itself, also where it names itself', async () => {
    const { call, wrapped } = await open();
    for (const body of [undefined, {}, 'null', { token: '' }, { token: null }, 'self'] as const) {
      const token = await wrapped('GET', 'box/a');
      const sent = { token, body: body === 'self' ? { token } : body };
      const first = await call('PUT', 'sys/wrapping/unwrap', sent);
      assert.equal(at(first.json, 'data', 'value'), 'secret');
      const second = await call('PUT', 'sys/wrapping/unwrap', sent);
      assert.equal(second.status, body === 'self' ? 403 : 400);
    }
  });

  test('unwrap: whose own token is not alive is not told that the wrapping token is used', async () => {
    const { call, wrapped, unwrap } = await open();
    const token = await wrapped('GET', 'box/a');
    for (const sent of [
      { token: 'no-such-token', body: { token } },
      { token: 'no-such-token', body: `{"token":"${token}"}${' '.repeat(2_000)}` },
      { token: undefined, body: { token } },
      { token: undefined, body: {} },
    ]) {
      const { status, json } = await call('POST', 'sys/wrapping/unwrap', sent);
      assert.equal(status, 403);
      assert.deepEqual(at(json, 'errors'), ['permission denied']);
    }
    assert.equal((await call('POST', 'sys/wrapping/unwrap', { token: 'no-such-token', body: '{' })).status, 400);
    assert.equal((await unwrap(token)).status, 200);
  });

  test('unwrap, lookup and rewrap: 400 for what wraps nothing, the same for all of it', async () => {
    const { server, call, wrapped, unwrap, pass } = await open();
    const used = await wrapped('GET', 'box/a');
    await unwrap(used);
    const old = await wrapped('GET', 'box/a');
    pass(60_000);
    const ordinary = await server.tokenWith('path "box/a" { capabilities = ["read"] }');
    for (const token of [used, old, ordinary, server.root, 'bogus', 's.bogus', 'x'.repeat(500)]) {
      for (const action of ['unwrap', 'lookup', 'rewrap']) {
        const answered = await call('POST', `sys/wrapping/${action}`, { body: { token } });
        assert.equal(answered.status, 400);
        assert.match(sentence(answered), INVALID);
      }
    }
    for (const action of ['unwrap', 'rewrap']) {
      assert.equal((await call('POST', `sys/wrapping/${action}`, { body: {} })).status, 400, 'root wraps nothing');
    }
  });

  test('lookup: tells where it comes from, to anybody, and does not use it', async () => {
    const { call, wrapped, unwrap, pass } = await open();
    const token = await wrapped('GET', 'box/a');
    pass(1_000);
    const expected = { creation_path: 'box/a', creation_time: '2026-01-02T03:04:05.678Z', creation_ttl: 60 };
    for (const [method, sent] of [
      ['POST', { body: { token } }],
      ['POST', { token: undefined, body: { token } }],
      ['POST', { token: 'no-such-token', body: { token } }],
      ['POST', { token, body: {} }],
      ['GET', { token }],
    ] as const) {
      const { status, json } = await call(method, 'sys/wrapping/lookup', sent);
      assert.deepEqual([status, at(json, 'data')], [200, expected]);
    }
    assert.equal((await call('POST', 'sys/wrapping/lookup', { token: undefined, body: {} })).status, 403);
    assert.equal((await call('GET', 'sys/wrapping/lookup', { token: undefined })).status, 403);
    assert.equal((await unwrap(token)).status, 200);
  });

  test('rewrap: a new token of the same lifetime, path and content; the old one is gone', async () => {
    const { call, info, unwrap, pass, records } = await open();
    const before = records();
    const created = await call('POST', 'auth/token/create', { body: { id: 'new' }, ...MINUTE });
    const { token: old, accessor, wrapped_accessor } = info(created);
    pass(30_000);
    const answered = await call('POST', 'sys/wrapping/rewrap', { body: { token: old } });
    const { token, accessor: renewed, ...rest } = info(answered);
    assert.deepEqual(rest, {
      ...{ ttl: 60, creation_time: '2026-01-02T03:04:35.678Z', creation_path: 'auth/token/create', wrapped_accessor },
    });
    assert.ok(token !== old && renewed !== accessor);
    assert.equal((await unwrap(String(old))).status, 400);
    pass(59_999);
    assert.equal(at((await unwrap(String(token))).json, 'auth', 'client_token'), 'new');
    assert.deepEqual(
      records().length,
      before.length + 3,
      'the token that was wrapped, its accessor, its place among the leases',
    );
  });

  test('rewrap with the header keeps the lifetime all the same, and unwrap with it wraps what comes out', async () => {
    const { call, wrapped, info, unwrap } = await open();
    const hour = { headers: { 'x-service-wrap-ttl': '1h' } };
    const token = await wrapped('GET', 'box/a');
    const again = info(await call('POST', 'sys/wrapping/rewrap', { body: { token }, ...hour }));
    assert.equal(again['ttl'], 60);
    const twice = info(await call('POST', 'sys/wrapping/unwrap', { body: { token: again['token'] }, ...hour }));
    assert.deepEqual([twice['ttl'], twice['creation_path']], [3_600, 'sys/wrapping/unwrap']);
    assert.equal(at((await unwrap(String(twice['token']))).json, 'data', 'value'), 'secret');
  });

  test('who may call is asked first, and a wrapping token is not looked at then', async () => {
    const { server, call, wrapped, unwrap } = await open();
    const stranger = await server.tokenWith('path "box/a" { capabilities = ["read"] }');
    for (const action of ['unwrap', 'rewrap']) {
      const token = await wrapped('GET', 'box/a');
      for (const body of [{ token }, { token: 'bogus' }]) {
        assert.equal((await call('POST', `sys/wrapping/${action}`, { token: stranger, body })).status, 403);
      }
      assert.equal((await unwrap(token)).status, 200);
    }
  });
});

describe('a wrapping token', () => {
  for (const [method, path, body] of [
    ['GET', 'box/a'],
    ['GET', 'auth/token/lookup-self'],
    ['POST', 'auth/token/revoke-self'],
    ['POST', 'auth/token/create', {}],
    ['POST', 'cubbyhole/response', { a: 1 }],
    ['GET', 'cubbyhole/response'],
    ['POST', 'sys/wrapping/rewrap', {}],
    ['POST', 'sys/wrapping/wrap', {}],
    ['GET', 'no/such/path'],
    ['DELETE', 'sys/wrapping/unwrap'],
  ] as const) {
    test(`is good for no ${method} ${path}, and spent by it`, async () => {
      const { call, wrapped, unwrap, records } = await open();
      const before = records();
      const token = await wrapped('GET', 'box/a');
      assert.equal((await call(method, path, { token, body })).status, 403);
      assert.equal((await unwrap(token)).status, 400);
      assert.deepEqual(records(), before, 'the answer is gone with it');
    });
  }

  test('may be looked up and revoked like any other by who may do that', async () => {
    const { call, wrapped, unwrap, records } = await open();
    const before = records();
    const token = await wrapped('GET', 'box/a');
    const { json } = await call('POST', 'auth/token/lookup', { body: { token } });
    const { policies, num_uses, path, orphan, ttl } = Object(at(json, 'data'));
    assert.deepEqual([policies, num_uses, path, orphan, ttl], [['response-wrapping'], 1, 'box/a', true, 60]);
    assert.equal((await call('POST', 'auth/token/revoke', { body: { token } })).status, 204);
    assert.equal((await unwrap(token)).status, 400);
    assert.deepEqual(records(), before);
  });

  test('has a policy that nobody gives', async () => {
    const { call } = await open();
    for (const policies of [['response-wrapping'], ['default', ' Response-Wrapping '], 'response-wrapping']) {
      const { status, json } = await call('POST', 'auth/token/create', { body: { policies } });
      assert.equal(status, 400);
      assert.match(String(at(json, 'errors', '0')), /^policies: "response-wrapping" is given by the server alone/);
    }
  });
});
