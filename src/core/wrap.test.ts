import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { INVALID, MINUTE, open, sentence } from '../sys/routes/wrapping/testing.ts';
import { at } from '../sys/testing.ts';

describe('the header', () => {
  for (const [given, status, ttl] of [
    ['', 200, undefined],
    ['0', 200, undefined],
    ['0s', 200, undefined],
    ['1', 200, 1],
    ['1500ms', 200, 2],
    ['1ns', 200, 1],
    ['1.5m', 200, 90],
    ['2h', 200, 7_200],
    ['7200', 200, 7_200],
    ['7201', 400, undefined],
    ['2h1ns', 400, undefined],
    ['1e9', 400, undefined],
    ['-1', 400, undefined],
    ['-1ns', 400, undefined],
    ['abc', 400, undefined],
    ['60.5', 400, undefined],
    ['1w', 400, undefined],
    ['9'.repeat(100), 400, undefined],
  ] as const) {
    test(`${JSON.stringify(given)}: ${status}, wrapped for ${ttl}`, async () => {
      const { call, info, records } = await open();
      const before = records();
      const headers = { 'x-vault-wrap-ttl': given };
      const answered = await call('POST', 'auth/token/create', { body: {}, headers });
      assert.equal(answered.status, status, answered.text);
      assert.equal(info(answered)['ttl'], ttl);
      if (status === 400) {
        assert.match(sentence(answered), /^X-Service-Wrap-TTL: /);
        assert.deepEqual(records(), before, 'nothing was done');
      }
    });
  }

  test('is looked at only once the policies have permitted the call', async () => {
    const { server, call } = await open();
    const token = await server.tokenWith('path "box/b" { capabilities = ["read"] }');
    for (const [path, status] of [
      ['box/a', 403],
      ['box/b', 400],
    ] as const) {
      const headers = { 'x-service-wrap-ttl': '-1' };
      assert.equal((await call('GET', path, { token, headers })).status, status);
    }
  });
});

describe('a wrapped answer', () => {
  test('is a wrapping token and nothing of the content', async () => {
    const { call } = await open();
    const { json, text } = await call('GET', 'box/a', MINUTE);
    const { request_id, wrap_info, ...rest } = Object(json);
    const { token, accessor, ...info } = Object(wrap_info);
    assert.match(request_id, /^[0-9a-f-]{36}$/);
    assert.match(token, /^s\.[\w-]{38}$/);
    assert.match(accessor, /^[\w-]{24}$/);
    assert.deepEqual(info, { ttl: 60, creation_time: '2026-01-02T03:04:05.678Z', creation_path: 'box/a' });
    const none = { lease_id: '', renewable: false, lease_duration: 0, data: null, warnings: null, auth: null };
    assert.deepEqual(rest, none);
    assert.ok(!text.includes('secret'));
  });

  test('comes back just as it would have gone out, once', async () => {
    const { call, wrapped, unwrap } = await open();
    const plain = await call('GET', 'box/a');
    const token = await wrapped('GET', 'box/a');
    const back = await unwrap(token);
    const withoutId = (text: string): string => text.replace(/"request_id":"[^"]*"/, '');
    assert.equal(withoutId(back.text), withoutId(plain.text));
    const again = await unwrap(token);
    assert.equal(again.status, 400);
    assert.match(sentence(again), INVALID);
  });

  test('whose members stand at the top level too keeps them there', async () => {
    const { wrapped, unwrap } = await open();
    const { json } = await unwrap(await wrapped('GET', 'sys/mounts/box'));
    assert.equal(at(json, 'type'), 'box');
    assert.equal(at(json, 'data', 'type'), 'box');
  });

  test('with a token names its accessor, and the token is there when it is unwrapped', async () => {
    const { call, info, unwrap } = await open();
    const answered = await call('POST', 'auth/token/create', { body: { policies: ['default'], ttl: '3h' }, ...MINUTE });
    const { token, wrapped_accessor } = info(answered);
    assert.equal(at(answered.json, 'auth'), null);
    assert.match(String(at(answered.json, 'warnings', '0')), /^ttl: /, 'what is to be known of the request is told');
    const { auth, warnings } = Object((await unwrap(String(token))).json);
    assert.equal(auth.accessor, wrapped_accessor);
    assert.deepEqual(warnings, at(answered.json, 'warnings'));
    assert.equal((await call('GET', 'auth/token/lookup-self', { token: auth.client_token })).status, 200);
  });

  test('of no content, and a refusal, is not wrapped', async () => {
    const { call, records } = await open();
    const before = records();
    assert.deepEqual(await call('POST', 'box/b', { body: { value: 'b' }, ...MINUTE }), {
      ...{ status: 204, json: undefined, text: '' },
    });
    assert.equal((await call('GET', 'box/none', MINUTE)).status, 404);
    assert.equal((await call('POST', 'box/b', { body: {}, ...MINUTE })).status, 400);
    assert.deepEqual(records(), before);
  });

  test('outlives the token that asked for it', async () => {
    const { server, call, wrapped, unwrap } = await open();
    const asking = await server.tokenWith('path "box/a" { capabilities = ["read"] }');
    const token = await wrapped('GET', 'box/a', { token: asking });
    await call('POST', 'auth/token/revoke', { body: { token: asking } });
    assert.equal((await unwrap(token)).status, 200);
  });

  test('ends with its lifetime, by the clock of the store', async () => {
    for (const [millis, status] of [
      [59_999, 200],
      [60_000, 400],
    ] as const) {
      const { wrapped, unwrap, pass } = await open();
      const token = await wrapped('GET', 'box/a');
      pass(millis);
      assert.equal((await unwrap(token)).status, status);
    }
  });

  test('of a request whose commit fails leaves nothing behind', async () => {
    let failing = false;
    const server = await open({
      beforeCommit: () => {
        if (failing) throw new Error('the disk is gone');
      },
    });
    const before = server.records();
    failing = true;
    assert.equal((await server.call('POST', 'auth/token/create', { body: {}, ...MINUTE })).status, 503);
    assert.deepEqual(server.records(), before);
    failing = false;
    const token = await server.wrapped('GET', 'box/a');
    const kept = server.records();
    failing = true;
    for (const path of ['unwrap', 'rewrap']) {
      assert.equal((await server.call('POST', `sys/wrapping/${path}`, { body: { token } })).status, 503);
      assert.deepEqual(server.records(), kept, 'what failed has not used the token');
    }
    failing = false;
    assert.equal((await server.unwrap(token)).status, 200);
    assert.deepEqual(server.records(), before);
  });
});

test('what is wrapped comes back: to the digit, in order, whatever it is', async () => {
  const { call, info, unwrap, records } = await open();
  const before = records();
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()),
      fc.integer({ min: 1, max: 1e9 }),
      async (members, digits) => {
        const rest = JSON.stringify(members).slice(1, -1);
        const body = `{ "10":1.${digits}00e-3,"2":${digits}${digits}${digits}00,"__proto__":-0${rest && `,${rest}`} }`;
        const answered = await call('POST', 'sys/wrapping/wrap', { body, ...MINUTE });
        const { text } = await unwrap(String(info(answered)['token']));
        assert.ok(text.includes(`"data":${body.trim()},"wrap_info"`), text);
      },
    ),
    { numRuns: 100 },
  );
  assert.deepEqual(records(), before, 'nothing is left');
});
