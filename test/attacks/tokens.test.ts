// Known attacks B1, B13–B17 for the tokens there are.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exchange } from '../http/wire.ts';
import { at, ROOT, startTarget } from './support.ts';

const target = await startTarget();
await target.put('secret/data/b', 'kept');

const READ = 'path "secret/*" { capabilities = ["read"] }';

test('B1 root is given by root alone, in no spelling by anyone else', async () => {
  const spellings = ['root', ' root', 'ROOT', 'Root ', 'root\t', '\nroot', 'r\u006fot', 'ROOT\r\n'];
  const powers = ['update', 'sudo'];
  for (const [i, capability] of [...powers.entries()]) {
    const capabilities = JSON.stringify(powers.slice(0, i + 1));
    const token = await target.tokenWith(`path "auth/token/create*" { capabilities = ${capabilities} }`);
    for (const spelling of spellings) {
      for (const policies of [[spelling], ['default', spelling], spelling]) {
        for (const path of ['auth/token/create', 'auth/token/create-orphan']) {
          const { json } = await target.expect([400, 403], 'POST', path, { token, body: { policies } });
          assert.equal(at(json, 'auth'), undefined, capability);
        }
      }
    }
    const joined = await target.send('POST', 'auth/token/create', { token, body: { policies: 'default,root' } });
    // A comma is no separator here, so this is one name, which nobody gave a policy to.
    assert.ok(joined.status !== 200 || !Array.from(Object(at(joined.json, 'auth', 'policies'))).includes('root'));
    await target.expect([400, 403], 'POST', 'auth/token/create', {
      token,
      body: '{"policies":["default"],"policies":["root"]}',
    });
    const query = await target.send('POST', 'auth/token/create?policies=root', { token, body: {} });
    assert.ok(query.status !== 200 || !JSON.stringify(at(query.json, 'auth', 'policies')).includes('"root"'));
  }
  const { json } = await target.expect(200, 'POST', 'auth/token/create', { body: { policies: ['ROOT '] } });
  assert.deepEqual(at(json, 'auth', 'policies'), ['root']);
});

test('B1 a token without sudo hands on nothing beyond its own', async () => {
  await target.expect(204, 'POST', 'sys/policies/acl/strong', { body: { policy: READ } });
  const token = await target.tokenWith('path "auth/token/create" { capabilities = ["update"] }');
  for (const body of [
    { policies: ['strong'] },
    { policies: ['default'] },
    { id: 'chosen-by-a-stranger' },
    { no_parent: true },
    { period: '1h' },
    { no_parent: 'true' },
  ]) {
    await target.expect([400, 403], 'POST', 'auth/token/create', { token, body });
  }
  await target.expect(403, 'POST', 'auth/token/create-orphan', { token, body: {} });
  const child = await target.expect(200, 'POST', 'auth/token/create', { token, body: {} });
  const own = at((await target.expect(200, 'POST', 'auth/token/lookup', { body: { token } })).json, 'data', 'policies');
  assert.deepEqual(at(child.json, 'auth', 'policies'), own);
});

test('B13 a token of five uses serves exactly five of 64 requests at once', async () => {
  for (const uses of [1, 5]) {
    const token = await target.tokenWith(READ, { num_uses: uses });
    const statuses = await Promise.all(
      Array.from({ length: 64 }, async () => (await target.send('GET', 'secret/data/b', { token })).status),
    );
    const count = (status: number): number => statuses.filter((found) => found === status).length;
    assert.deepEqual([count(200), count(403)], [uses, 64 - uses]);
    await target.expect(403, 'GET', 'secret/data/b', { token });
    await target.expect(403, 'POST', 'auth/token/lookup', { body: { token } });
  }
});

test('B13 refused, misdirected and malformed requests are uses too, and a used-up token does nothing more', async () => {
  const wasted: readonly (readonly [method: string, path: string, body?: string])[] = [
    ['GET', 'secret/data/missing'],
    ['POST', 'secret/data/b', '{"data":{}}'],
    ['GET', 'absent/data/b'],
    ['OPTIONS', 'secret/data/b'],
    ['GET', 'secret/data/b?version=abc'],
    ['POST', 'auth/token/create', '{}'],
  ];
  for (const [method, path, body] of wasted) {
    const token = await target.tokenWith(`${READ} path "auth/token/*" { capabilities = ["update"] }`, { num_uses: 2 });
    await target.send(method, path, { token, body });
    const left = await target.expect(200, 'POST', 'auth/token/lookup', { body: { token } });
    assert.equal(at(left.json, 'data', 'num_uses'), 1, `${method} ${path}`);
    await target.expect(200, 'GET', 'secret/data/b', { token });
    await target.expect(403, 'GET', 'secret/data/b', { token });
  }
  const last = await target.tokenWith('path "auth/token/*" { capabilities = ["update"] }', { num_uses: 1 });
  await target.expect(400, 'POST', 'auth/token/create', { token: last, body: {} });
  const self = await target.tokenWith('path "auth/token/*" { capabilities = ["update"] }', { num_uses: 1 });
  await target.expect(204, 'POST', 'auth/token/revoke-self', { token: self });
  await target.expect(403, 'POST', 'auth/token/revoke-self', { token: self });
});

test('B13 of 64 tokens asked for at once under one chosen value exactly one comes to be', async () => {
  const body = { id: 'only-once', policies: ['default'] };
  const all = Array.from({ length: 64 }, async () => (await target.send('POST', 'auth/token/create', { body })).status);
  const statuses = await Promise.all(all);
  assert.equal(statuses.filter((status) => status === 200).length, 1);
  assert.equal(statuses.filter((status) => status === 400).length, 63);
});

test('B13 of 64 writes that check the same version exactly one wins', async () => {
  const body = { data: { value: 'won' }, options: { cas: 0 } };
  const all = Array.from({ length: 64 }, async () => (await target.send('POST', 'secret/data/cas', { body })).status);
  const statuses = await Promise.all(all);
  assert.equal(statuses.filter((status) => status === 200).length, 1);
  assert.equal(statuses.filter((status) => status === 400).length, 63);
});

test('B13 a write by a token that is revoked meanwhile is either before the revocation or refused', async () => {
  for (let round = 0; round < 20; round++) {
    const token = await target.tokenWith('path "secret/*" { capabilities = ["create", "update"] }');
    const writes = Array.from({ length: 16 }, (_, i) =>
      target.send('POST', `secret/data/race/${round}/${i}`, { token, body: { data: { value: 'x' } } }),
    );
    const revoked = target.expect(204, 'POST', 'auth/token/revoke', { body: { token } });
    for (const [i, write] of (await Promise.all(writes)).entries()) {
      assert.ok([200, 403].includes(write.status));
      assert.equal((await target.value(`secret/data/race/${round}/${i}`)) === 'x', write.status === 200);
    }
    await revoked;
    await target.expect(403, 'POST', `secret/data/race/${round}/late`, { token, body: { data: {} } });
  }
});

test('B14 a wrap lifetime that is none is refused before any effect; 0 and empty ask for no wrapping', async () => {
  for (const ttl of ['-1', 'abc', '1e9', '-1s', '1.5', '99999999999h', '1 s', '0x10', '5m,5m']) {
    const headers = { 'X-Service-Wrap-TTL': ttl };
    await target.expect(400, 'POST', 'secret/data/wrapped', { headers, body: { data: { value: 'x' } } });
    await target.expect(400, 'GET', 'secret/data/b', { headers: { 'X-Vault-Wrap-TTL': ttl } });
  }
  await target.expect(400, 'GET', 'secret/data/b', { headers: { 'X-Service-Wrap-TTL': ['0', '0'] } });
  await target.expect(400, 'GET', 'secret/data/b', {
    headers: { 'X-Service-Wrap-TTL': '0', 'X-Vault-Wrap-TTL': '60' },
  });
  assert.equal(await target.value('secret/data/wrapped'), undefined);
  for (const ttl of ['0', '', '0s']) {
    const { json } = await target.expect(200, 'GET', 'secret/data/b', { headers: { 'X-Service-Wrap-TTL': ttl } });
    assert.equal(at(json, 'wrap_info'), null);
  }
});

test('B14 what should have been wrapped never goes out in clear', async () => {
  const headers = { 'X-Service-Wrap-TTL': '60' };
  const read = await target.send('GET', 'secret/data/b', { headers });
  assert.ok(!read.text.includes('kept'));
  const created = await target.send('POST', 'auth/token/create', { headers, body: {} });
  assert.ok(!/"client_token":"s\./.test(created.text));
});

test('B15 no batch token is root, and an accessor is no token', async () => {
  await target.expect(400, 'POST', 'auth/token/create', { body: { type: 'batch' } });
  await target.expect(400, 'POST', 'auth/token/create', { body: { type: 'BATCH' } });
  const { json } = await target.expect(200, 'POST', 'auth/token/create', { body: { policies: ['default'] } });
  const accessor = at(json, 'auth', 'accessor');
  assert.ok(typeof accessor === 'string');
  await target.expect(403, 'GET', 'auth/token/lookup-self', { token: accessor });
  await target.expect(403, 'POST', 'auth/token/lookup', { body: { token: accessor } });
  const token = at(json, 'auth', 'client_token');
  await target.expect(204, 'POST', 'auth/token/revoke', { body: { token: accessor } });
  assert.ok(typeof token === 'string');
  await target.expect(200, 'GET', 'auth/token/lookup-self', { token });
});

test('B15 revoking a token ends all that came from it, orphans aside', async () => {
  const policy = 'path "auth/token/*" { capabilities = ["update", "read", "sudo"] }';
  const parent = await target.tokenWith(policy);
  const make = async (token: string, path = 'create'): Promise<string> =>
    String(
      at((await target.expect(200, 'POST', `auth/token/${path}`, { token, body: {} })).json, 'auth', 'client_token'),
    );
  const child = await make(parent);
  const grandchild = await make(child);
  const orphan = await make(child, 'create-orphan');
  await target.expect(204, 'POST', 'auth/token/revoke', { body: { token: parent } });
  for (const token of [parent, child, grandchild]) await target.expect(403, 'GET', 'auth/token/lookup-self', { token });
  await target.expect(200, 'GET', 'auth/token/lookup-self', { token: orphan });
});

const get = (lines: readonly string[]): string =>
  `GET /v1/secret/data/b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;

test('B16 a request has one token, in one spelling', async () => {
  const good = await target.tokenWith(READ);
  const bad = 'not-a-token';
  const table: readonly (readonly [status: number, ...lines: string[]])[] = [
    [200, `X-Service-Token: ${good}`],
    [200, `X-Vault-Token: ${good}`],
    [200, `Authorization: Bearer ${good}`],
    [200, `Authorization: bearer ${good}`],
    [200, `X-SERVICE-TOKEN: ${good} \t`],
    [200, `X-Service-Token: ${good}`, `X-Vault-Token: ${good}`],
    [200, `X-Service-Token: ${good}`, `Authorization: Bearer ${bad}`],
    [403, `X-Service-Token: ${bad}`, `Authorization: Bearer ${good}`],
    [200, 'X-Service-Token:', `Authorization: Bearer ${good}`],
    [400, `X-Service-Token: ${good}`, `X-Service-Token: ${good}`],
    [400, `X-Vault-Token: ${good}`, `x-vault-token: ${good}`],
    [400, `X-Service-Token: ${good}`, `X-Vault-Token: ${bad}`],
    [400, `X-Service-Token: ${bad}`, `X-Vault-Token: ${good}`],
    [400, 'X-Service-Token:', `X-Vault-Token: ${good}`],
    [400, `Authorization: Bearer ${good}`, `Authorization: Bearer ${good}`],
    [400, `X-Service-Token: ${good}`, 'Authorization: Basic a', 'Authorization: Basic b'],
    [400, `X-Service-Token: ${good}`, ` ${good}`],
    [400, `X-Service-Token : ${good}`],
    [403, `X-Service-Token: ${good},${good}`],
    [403, `X-Service-Token: ${good.toUpperCase()}`],
    [403, `X-Service-Token: ${good}=`],
    [403, `X-Service-Token: "${good}"`],
    [403, `X-Service-Token: ${good.slice(0, -1)}`],
    [403, `X-Service-Token: \xa0${good}`],
    [403, `X-Service-Token: ${good}\xa0`],
    [403, `Authorization: Bearer \xa0${good}`],
    [403, `Authorization: Bearer ${good}\xa0`],
    [403, `Authorization: Bearer ${good} x`],
    [403, `Authorization: Bearer,${good}`],
    [403, `Authorization: Basic ${good}`],
    [403, `Authorization: ${good}`],
    [403, `Cookie: X-Service-Token=${good}; token=${good}`],
    [403, `Proxy-Authorization: Bearer ${good}`],
    [403],
  ];
  for (const [status, ...lines] of table) {
    const [answer] = await exchange(target.address, get(lines));
    assert.equal(answer?.status, status, JSON.stringify(lines).replaceAll(good, 'GOOD'));
    assert.equal(answer.body.includes('kept'), status === 200);
  }
  for (const query of [`token=${good}`, `X-Service-Token=${good}`, `access_token=${good}`]) {
    await target.expect(403, 'GET', `secret/data/b?${query}`, { token: undefined });
  }
  await target.expect(403, 'POST', 'secret/data/b', { token: undefined, body: { token: ROOT, data: {} } });
});

test('B16 a header that is too long is refused cheaply, its value not shown', async () => {
  const start = 'X-Service-Token: '.length;
  for (const [length, status] of [
    [8 * 1024 - start, 403],
    [8 * 1024 - start + 1, 431],
    [60 * 1024, 431],
  ] as const) {
    const token = 'canary'.repeat(length).slice(0, length);
    const [answer] = await exchange(target.address, get([`X-Service-Token: ${token}`]));
    assert.equal(answer?.status, status);
    assert.ok(!answer.body.includes('canary'));
  }
  await target.expect(200, 'GET', 'secret/data/b');
});

test('B17 no mount can be told to hand a token on, or to set a header of the server, in whatever spelling', async () => {
  const before = (await target.expect(200, 'GET', 'sys/mounts/secret/tune')).json;
  for (const [setting, names] of [
    [
      'passthrough_request_headers',
      ['Authorization', 'AUTHORIZATION', 'X-Service-Token', 'x-vault-token', 'Proxy-Authorization', 'X-Vault-MFA'],
    ],
    [
      'allowed_response_headers',
      ['Cache-Control', 'content-security-policy', 'X-Content-Type-Options', 'Transfer-Encoding', 'Content-Length'],
    ],
  ] as const) {
    for (const name of names) {
      for (const value of [
        name,
        [name],
        ['X-Fine', name],
        `X-Fine,${name}`,
        ` ${name} `,
        `${name}:`,
        `${name}\u0000`,
      ]) {
        const body = { [setting]: value };
        await target.expect(400, 'POST', 'sys/mounts/secret/tune', { body });
        await target.expect(400, 'POST', 'sys/mounts/auth/token/tune', { body });
        await target.expect(400, 'POST', 'sys/mounts/b17', { body: { type: 'kv-v2', config: body } });
      }
    }
  }
  const after = (await target.expect(200, 'GET', 'sys/mounts/secret/tune')).json;
  assert.deepEqual(at(after, 'data'), at(before, 'data'));
  await target.expect(400, 'GET', 'sys/mounts/b17');
});
