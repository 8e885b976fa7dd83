// Known attacks A3, B1, B6, B7, B9, B12, B13, B15, B16 and H1 for trees, roles, accessors and batch tokens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROOT as FAULTS_ROOT } from '../faults/client.ts';
import { live } from '../faults/life.ts';
import { exchange } from '../http/wire.ts';
import { at, Client, ROOT, scratchFolder, startTarget } from './support.ts';
import { treesAtOnce } from './trees-at-once.ts';

const target = await startTarget();
await target.put('secret/data/b', 'kept');
const MAKER = 'path "auth/token/*" { capabilities = ["create", "update", "read", "delete", "list"] }';
const READ = 'path "secret/*" { capabilities = ["read"] }';

const make = async (token: string, body: object = {}, path = 'create'): Promise<string> =>
  String(at((await target.expect(200, 'POST', `auth/token/${path}`, { token, body })).json, 'auth', 'client_token'));

const role = (name: string, body: unknown) => target.expect(204, 'POST', `auth/token/roles/${name}`, { body });

test('A3 a policy that a role bars is barred in every spelling, and a role that is denied under every spelling of its path', async () => {
  await role('barred', { disallowed_policies: ['Admin'], disallowed_policies_glob: ['SUPER-*'] });
  const token = await target.tokenWith(MAKER);
  for (const name of ['admin', 'Admin', 'ADMIN ', '\tadmin', 'adm\u0069n', 'super-1', ' Super-X', 'SUPER-']) {
    for (const policies of [[name], ['default', name], name]) {
      await target.expect(400, 'POST', 'auth/token/create/barred', { token, body: { policies } });
    }
  }
  // Names of roles are compared byte for byte, as all names in paths are.
  await role('strict', { allowed_policies: ['strong'] });
  const denied = await target.tokenWith(
    `${MAKER} path "auth/token/create/strict" { capabilities = ["deny"] } path "auth/token/roles/strict" { capabilities = ["deny"] }`,
  );
  for (const spelling of ['strict', '%73trict', 's%74rict', 'strict/', 'strict%20', 'STRICT', 'stri\u0063t']) {
    const { status, json } = await target.send('POST', `auth/token/create/${spelling}`, { token: denied, body: {} });
    assert.ok([400, 403, 404].includes(status), `${spelling}: ${status}`);
    assert.equal(at(json, 'auth'), undefined);
  }
  for (const spelling of [
    './strict',
    'x/../strict',
    '%2e/strict',
    'strict%2f',
    'strict%00',
    '//strict',
    'strict;a=b',
  ]) {
    const { status } = await target.send('POST', `auth/token/create/${spelling}`, { token: denied, body: {} });
    assert.ok([307, 400, 403].includes(status), `${spelling}: ${status}`);
  }
});

test('B1 no role gives root, in no spelling; a role for anything gives it to root alone', async () => {
  const spellings = ['root', ' root', 'ROOT', 'Root ', 'root\t', '\nroot', 'r\u006fot', 'ROOT\r\n'];
  for (const spelling of spellings) {
    for (const field of ['allowed_policies', 'allowed_policies_glob']) {
      for (const value of [[spelling], ['default', spelling], `default,${spelling}`]) {
        await target.expect(400, 'POST', 'auth/token/roles/rooted', { body: { [field]: value } });
      }
    }
    const form = `allowed_policies=default&allowed_policies=${encodeURIComponent(spelling)}`;
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    await target.expect(400, 'POST', 'auth/token/roles/rooted', { body: form, headers });
  }
  await target.expect(404, 'GET', 'auth/token/roles/rooted');
  await role('anything', { allowed_policies_glob: ['*', 'r*', '*oot', '*oo*'] });
  await role('nothing-barred', { disallowed_policies: ['other'] });
  for (const capabilities of ['"update"', '"update", "sudo"']) {
    const token = await target.tokenWith(`path "auth/token/create/*" { capabilities = [${capabilities}] }`);
    for (const name of ['anything', 'nothing-barred']) {
      for (const spelling of spellings) {
        for (const policies of [[spelling], ['default', spelling], spelling]) {
          const sent = { token, body: { policies } };
          const { json } = await target.expect(400, 'POST', `auth/token/create/${name}`, sent);
          assert.equal(at(json, 'auth'), undefined);
        }
      }
      await target.expect(400, 'POST', `auth/token/create/${name}`, {
        token,
        body: '{"policies":["default"],"policies":["root"]}',
      });
    }
  }
  const given = await target.expect(200, 'POST', 'auth/token/create/anything', { body: { policies: ['RooT'] } });
  assert.deepEqual(at(given.json, 'auth', 'policies'), ['root']);
});

test('B6 a token of two seconds ends after two, however often it is renewed in its last moments', async () => {
  const body = { policies: ['default'], ttl: '2s', explicit_max_ttl: '2s' };
  const token = await make(ROOT, body);
  const made = Date.now();
  let renewed = 0;
  let tried = 0;
  for (let refused = 0; refused < 3; tried++) {
    const asked = Date.now();
    const { status } = await target.send('POST', 'auth/token/renew-self', { token, body: { increment: '1h' } });
    assert.ok([200, 400, 403].includes(status));
    if (status !== 200) refused++;
    else {
      renewed++;
      assert.ok(asked < made + 2_000, `renewed ${asked - made} ms after it was there`);
    }
    assert.ok(asked < made + 10_000, 'it never ends');
  }
  assert.ok(renewed > 10, `${renewed} of ${tried}`);
  await target.expect(403, 'GET', 'auth/token/lookup-self', { token });
});

test('B7 what came from a token ends with it, batch tokens of its children too', async () => {
  for (const end of ['revoke', 'revoke-self'] as const) {
    const parent = await target.tokenWith(MAKER);
    const child = await make(parent);
    const tokens = [
      child,
      await make(child),
      await make(parent, { type: 'batch' }),
      await make(child, { type: 'batch' }),
    ];
    for (const token of tokens) await target.expect(200, 'POST', 'auth/token/lookup', { body: { token } });
    if (end === 'revoke-self') await target.expect(204, 'POST', 'auth/token/revoke-self', { token: parent });
    else await target.expect(204, 'POST', 'auth/token/revoke', { body: { token: parent } });
    for (const token of tokens) {
      await target.expect(403, 'GET', 'auth/token/lookup-self', { token });
      await target.expect(400, 'POST', 'auth/token/renew', { body: { token } });
    }
    // What has ended is no way to bring back what ended with it.
    for (const token of [parent, child]) {
      await target.expect(400, 'POST', 'auth/token/revoke-orphan', { body: { token } });
    }
    for (const token of tokens) await target.expect(403, 'GET', 'auth/token/lookup-self', { token });
  }
});

test('B7 who asks a role for a batch token does not get out of its uses and its end', async () => {
  const token = await target.tokenWith(MAKER);
  for (const limit of [{ token_num_uses: 1 }, { token_explicit_max_ttl: '1m' }, { token_period: '1m' }]) {
    for (const token_type of ['default-service', 'default-batch']) {
      await role('limited', { token_num_uses: 0, token_explicit_max_ttl: 0, token_period: 0, ...limit, token_type });
      await target.expect(400, 'POST', 'auth/token/create/limited', { token, body: { type: 'batch', ttl: '9h' } });
      await target.expect(200, 'POST', 'auth/token/create/limited', { token, body: { type: 'service' } });
    }
  }
});

test('B9 a foreign namespace does nothing with tokens, accessors and roles, whatever it is called', async () => {
  const victim = await target.expect(200, 'POST', 'auth/token/create', { body: { policies: ['default'], ttl: '1h' } });
  const token = at(victim.json, 'auth', 'client_token');
  const accessor = at(victim.json, 'auth', 'accessor');
  const requests: readonly (readonly [string, string, object?])[] = [
    ['POST', 'auth/token/create', { id: 'foreign' }],
    ['POST', 'auth/token/create-orphan', { id: 'foreign' }],
    ['POST', 'auth/token/create/anything', { id: 'foreign' }],
    ['POST', 'auth/token/lookup', { token }],
    ['POST', 'auth/token/lookup-accessor', { accessor }],
    ['POST', 'auth/token/renew', { token, increment: '2h' }],
    ['POST', 'auth/token/renew-accessor', { accessor, increment: '2h' }],
    ['POST', 'auth/token/revoke', { token }],
    ['POST', 'auth/token/revoke-accessor', { accessor }],
    ['POST', 'auth/token/revoke-orphan', { token }],
    ['POST', 'auth/token/tidy', {}],
    ['POST', 'auth/token/roles/foreign', {}],
    ['GET', 'auth/token/roles/anything'],
    ['DELETE', 'auth/token/roles/anything'],
    ['LIST', 'auth/token/roles'],
    ['LIST', 'auth/token/accessors'],
  ];
  for (const name of ['child', 'ROOT/', '..', 'a/../', '%2e', 'root/child']) {
    for (const [method, path, body] of requests) {
      const sent = { body, headers: { 'X-Service-Namespace': name } };
      const { text } = await target.expect(404, method, path, sent);
      assert.ok(!text.includes(String(accessor)));
      await target.expect(403, method, path, { ...sent, token: undefined });
      await target.expect(403, method, path, { ...sent, token: 's.none' });
      await target.expect([400, 403, 404], method, `${name.replace(/\/$/, '')}/${path}`, { body });
    }
  }
  const { json } = await target.expect(200, 'POST', 'auth/token/lookup-accessor', { body: { accessor } });
  assert.ok(Number(at(json, 'data', 'ttl')) <= 3_600);
  await target.expect(403, 'POST', 'auth/token/lookup', { body: { token: 'foreign' } });
  await target.expect(404, 'GET', 'auth/token/roles/foreign');
  await target.expect(200, 'GET', 'auth/token/roles/anything');
});

test('B12 an accessor is good for what takes accessors, and for the life of its own token', async () => {
  const { json } = await target.expect(200, 'POST', 'auth/token/create', {
    body: { id: 'b12', policies: ['default'] },
  });
  const accessor = at(json, 'auth', 'accessor');
  for (const [path, body, status] of [
    ['lookup', { token: accessor }, 403],
    ['renew', { token: accessor }, 400],
    ['revoke', { token: accessor }, 204],
    ['revoke-orphan', { token: accessor }, 400],
    ['lookup-accessor', { accessor: 'b12' }, 400],
    ['renew-accessor', { accessor: 'b12' }, 400],
    ['revoke-accessor', { accessor: 'b12' }, 200],
    ['lookup', { accessor, token: 's.none' }, 403],
    ['lookup-accessor', { token: 'b12' }, 400],
  ] as const) {
    await target.expect(status, 'POST', `auth/token/${path}`, { body });
  }
  await target.expect(200, 'GET', 'auth/token/lookup-self', { token: 'b12' });
  await target.expect(204, 'POST', 'auth/token/revoke', { body: { token: 'b12' } });
  const again = await target.expect(200, 'POST', 'auth/token/create', { body: { id: 'b12', policies: ['default'] } });
  assert.notEqual(at(again.json, 'auth', 'accessor'), accessor);
  for (const path of ['lookup-accessor', 'renew-accessor']) {
    await target.expect(400, 'POST', `auth/token/${path}`, { body: { accessor } });
  }
  await target.expect(200, 'POST', 'auth/token/revoke-accessor', { body: { accessor } });
  await target.expect(200, 'GET', 'auth/token/lookup-self', { token: 'b12' });
});

test('B13 uses and ends of a tree hold of 64 at once', () => treesAtOnce([target], ROOT));

test('B13 the same over four processes on one store', async () => {
  const data = scratchFolder();
  const flags = ['--dev', '--dev-root-token-id', FAULTS_ROOT, '--listen', '127.0.0.1:0', '--data', data];
  const life = await live(data, { flags: [...flags, '--workers', '4'] });
  const clients = Array.from({ length: 4 }, () => new Client(new URL(life.url).host));
  try {
    assert.equal(life.workers().length, 4);
    await treesAtOnce(clients, FAULTS_ROOT);
  } finally {
    for (const client of clients) client.close();
    await life.end('SIGTERM');
  }
});

test('B15 a batch token creates nothing, holds nothing, and is not revoked alone', async () => {
  const policy = 'path "*" { capabilities = ["create", "read", "update", "delete", "list", "sudo"] }';
  const token = await target.tokenWith(policy, { type: 'batch' });
  for (const path of ['create', 'create-orphan', 'create/anything', 'renew-self', 'revoke-self']) {
    await target.expect(400, 'POST', `auth/token/${path}`, { token, body: {} });
  }
  for (const method of ['POST', 'GET', 'DELETE', 'LIST']) {
    const body = method === 'POST' ? { a: 1 } : undefined;
    await target.expect(400, method, 'cubbyhole/a', { token, body });
  }
  for (const path of ['revoke', 'revoke-orphan', 'renew']) {
    await target.expect(400, 'POST', `auth/token/${path}`, { body: { token } });
  }
  await target.expect(200, 'GET', 'secret/data/b', { token });
});

test('B15 nothing but a service token is a parent, and no counted one', async () => {
  const counted = await target.tokenWith(MAKER, { num_uses: 50 });
  for (const path of ['create', 'create-orphan', 'create/anything']) {
    for (const body of [{}, { type: 'batch' }, { no_parent: true }, { num_uses: 1 }]) {
      await target.expect(400, 'POST', `auth/token/${path}`, { token: counted, body });
    }
  }
});

const get = (lines: readonly string[]): string =>
  `GET /v1/secret/data/b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;

test('B16 a batch token has one spelling, in each header that may carry it', async () => {
  const good = await target.tokenWith(READ, { type: 'batch' });
  const half = Math.floor(good.length / 2);
  const table: readonly (readonly [status: number, ...lines: string[]])[] = [
    [200, `X-Service-Token: ${good}`],
    [200, `X-Vault-Token: ${good}`],
    [200, `Authorization: Bearer ${good}`],
    [200, `X-Service-Token: ${good} \t`],
    [400, `X-Service-Token: ${good}`, `X-Service-Token: ${good}`],
    [400, `X-Service-Token: ${good}`, 'X-Vault-Token: b.none'],
    [403, `X-Service-Token: ${good}=`],
    [403, `X-Service-Token: ${good}\xa0`],
    [403, `X-Service-Token: ${good.slice(0, half)} ${good.slice(half)}`],
    [403, `X-Service-Token: ${good.slice(0, half)}!${good.slice(half)}`],
    [403, `X-Service-Token: ${good.slice(0, -1)}`],
    [403, `X-Service-Token: ${good.slice(1)}`],
    [403, `X-Service-Token: B${good.slice(1)}`],
    [403, `X-Service-Token: ${good.toLowerCase()}`],
    [403, `X-Service-Token: ${good},${good}`],
    [403, 'X-Service-Token: b.'],
    [403, `X-Service-Token: b.${'A'.repeat(8_000)}`],
    [431, `X-Service-Token: b.${'A'.repeat(8_192)}`],
  ];
  for (const [status, ...lines] of table) {
    const [answer] = await exchange(target.address, get(lines));
    assert.equal(answer?.status, status, JSON.stringify(lines).replaceAll(good, 'GOOD').slice(0, 100));
    assert.equal(answer.body.includes('kept'), status === 200);
  }
});

test('H1 a token that never was, one that ended and one from elsewhere are refused alike; so are accessors', async () => {
  const gone = await target.expect(200, 'POST', 'auth/token/create', { body: { policies: ['default'] } });
  const [token, accessor] = [String(at(gone.json, 'auth', 'client_token')), String(at(gone.json, 'auth', 'accessor'))];
  const parent = await target.tokenWith(MAKER);
  const child = await target.expect(200, 'POST', 'auth/token/create', { token: parent, body: {} });
  const childToken = String(at(child.json, 'auth', 'client_token'));
  await role('far', { token_bound_cidrs: ['203.0.113.0/24'] });
  const far = await make(ROOT, { policies: ['default'] }, 'create/far');
  const batch = await make(parent, { type: 'batch' });
  for (const one of [token, parent]) await target.expect(204, 'POST', 'auth/token/revoke', { body: { token: one } });
  const told = async (method: string, path: string, sent: object): Promise<unknown> => {
    const { status, text, headers } = await target.send(method, path, sent);
    return { status, text, headers: Object.keys(headers).sort() };
  };
  const values = [token, parent, childToken, far, batch, 's.none', `s.${'A'.repeat(38)}`, 'b.none', 'unknown'];
  for (const [method, path] of [
    ['GET', 'auth/token/lookup-self'],
    ['POST', 'auth/token/renew-self'],
    ['POST', 'auth/token/create'],
    ['GET', 'secret/data/b'],
    ['GET', 'absent/b'],
  ] as const) {
    const all = await Promise.all(values.map((value) => told(method, path, { token: value })));
    for (const [i, one] of all.entries()) assert.deepEqual(one, all[0], `${path}: ${values[i]}`);
  }
  const looked = values.filter((value) => value !== far);
  for (const path of ['lookup', 'renew', 'revoke-orphan']) {
    const all = await Promise.all(
      looked.map((value) => told('POST', `auth/token/${path}`, { body: { token: value } })),
    );
    for (const [i, one] of all.entries()) assert.deepEqual(one, all[0], `${path}: ${looked[i]}`);
  }
  const dead = String(at(child.json, 'auth', 'accessor'));
  const accessors = [accessor, dead, 'none', 'A'.repeat(24), `${accessor.slice(0, 12)}${'A'.repeat(12)}`];
  for (const path of ['lookup-accessor', 'renew-accessor']) {
    const all = await Promise.all(
      accessors.map((one) => told('POST', `auth/token/${path}`, { body: { accessor: one } })),
    );
    for (const [i, one] of all.entries()) assert.deepEqual(one, all[0], `${path}: ${accessors[i]}`);
  }
  // Who may not ask learns nothing, of what is there either.
  const stranger = await target.tokenWith(READ);
  const there = at((await target.expect(200, 'GET', 'auth/token/lookup-self')).json, 'data', 'accessor');
  for (const path of ['lookup-accessor', 'renew-accessor', 'revoke-accessor']) {
    const [one, other] = await Promise.all(
      [there, 'none'].map((each) => told('POST', `auth/token/${path}`, { token: stranger, body: { accessor: each } })),
    );
    assert.deepEqual(one, other);
  }
});
