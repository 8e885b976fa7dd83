// Known attack A13, and A11 of lists: what a token may not use it cannot find out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, startTarget } from './support.ts';

const target = await startTarget();
await target.expect(204, 'POST', 'sys/mounts/hidden', { body: { type: 'kv-v2', description: 'canary-description' } });
await target.expect(204, 'POST', 'sys/mounts/team/kv', { body: { type: 'kv-v2' } });
await target.put('hidden/data/there', 'x');
await target.put('secret/data/there', 'x');

/** What an answer shows to someone who compares answers. */
const visible = ({ status, text, headers }: { status: number; text: string; headers: object }): unknown => ({
  status,
  text,
  headers: Object.keys(headers).sort(),
});

test('A13 a 403 tells the same of what exists and what does not', async () => {
  const token = await target.tokenWith('path "secret/data/own" { capabilities = ["read"] }');
  const pairs: readonly (readonly [there: string, missing: string])[] = [
    ['secret/data/there', 'secret/data/missing'],
    ['hidden/data/there', 'absent/data/there'],
    ['hidden/data/there', 'hidden/nonsense/there'],
    ['hidden/config', 'absent/config'],
    ['hidden', 'absent'],
    ['sys/policies/acl/default', 'sys/policies/acl/absent'],
    ['sys/mounts/hidden', 'sys/mounts/absent'],
    ['sys/mounts/hidden/tune', 'sys/mounts/absent/tune'],
    ['sys/mounts', 'sys/absent'],
    ['auth/token/lookup', 'auth/absent/lookup'],
    ['sys/internal/ui/mounts/hidden', 'sys/internal/ui/mounts/absent'],
    ['sys/internal/ui/mounts/hidden/data/there', 'sys/internal/ui/mounts/absent/data/there'],
  ];
  for (const [there, missing] of pairs) {
    for (const method of ['GET', 'LIST', 'SCAN', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']) {
      for (const who of [token, undefined, 's.no-token-at-all', 'unknown']) {
        const body = method === 'POST' ? '{"data":{},"type":"kv-v2","policy":"x"}' : undefined;
        const [one, other] = await Promise.all(
          [there, missing].map((path) => target.send(method, path, { token: who, body })),
        );
        assert.ok(one !== undefined && other !== undefined);
        if (there.startsWith('sys/internal/ui/mounts/') && method !== 'GET') continue;
        assert.equal(one.status, 403, `${method} ${there}: ${one.status}`);
        assert.deepEqual(visible(one), visible(other), `${method} ${there} and ${missing}`);
      }
    }
  }
});

test('A13 malformed bodies, queries and headers tell no more than a 403 to whom nothing is permitted', async () => {
  const token = await target.tokenWith('path "secret/data/own" { capabilities = ["read"] }');
  for (const path of ['hidden/data/there', 'absent/data/there', 'sys/mounts/hidden', 'sys/mounts/absent/x']) {
    for (const sent of [
      { body: '{' },
      { body: '[]' },
      { body: '{"data":{}}', headers: { 'Content-Encoding': 'gzip' } },
      { body: '{}', headers: { 'X-Service-Wrap-TTL': 'abc' } },
    ]) {
      await target.expect(403, 'POST', path, { token, ...sent });
      await target.expect(403, 'POST', path, { token: undefined, ...sent });
    }
    await target.expect(403, 'GET', `${path}?version=abc&limit=x`, { token });
  }
});

test('A13 who may update but not create, or the reverse, learns nothing more than the family tells', async () => {
  const creator = await target.tokenWith('path "hidden/data/*" { capabilities = ["create"] }');
  await target.expect(403, 'POST', 'hidden/data/there', { token: creator, body: { data: {} } });
  const reader = await target.tokenWith('path "hidden/data/*" { capabilities = ["read"] }');
  for (const path of ['hidden/data/there', 'hidden/data/missing']) {
    await target.expect(403, 'POST', path, { token: reader, body: { data: {} } });
    await target.expect(403, 'DELETE', path, { token: reader });
  }
});

test('A13 no list of mounts names one that the token cannot use', async () => {
  const policies: readonly (readonly [policy: string, seen: readonly string[]])[] = [
    ['path "secret/data/own" { capabilities = ["read"] }', ['secret/']],
    ['path "team/kv/data/x" { capabilities = ["create"] }', ['team/kv/']],
    ['path "team/*" { capabilities = ["list"] }', ['team/kv/']],
    ['path "tea" { capabilities = ["read"] }', []],
    ['path "hidden/*" { capabilities = ["deny"] } path "secret/*" { policy = "read" }', ['secret/']],
    ['path "hidden/*" { capabilities = ["deny", "read"] }', []],
    [
      'path "+/config" { policy = "write" } path "hidden/config" { policy = "deny" }',
      ['cubbyhole/', 'identity/', 'secret/', 'sys/'],
    ],
  ];
  for (const [policy, seen] of policies) {
    const token = await target.tokenWith(policy);
    const { json, text } = await target.expect(200, 'GET', 'sys/internal/ui/mounts', { token });
    const secret = Object.keys(Object(at(json, 'data', 'secret')));
    for (const mount of ['secret/', 'team/kv/', 'hidden/']) {
      assert.equal(secret.includes(mount), seen.includes(mount), `${policy}: ${mount}`);
      const status = seen.includes(mount) ? 200 : 403;
      await target.expect(status, 'GET', `sys/internal/ui/mounts/${mount}data/x`, { token });
    }
    assert.ok(!text.includes('canary-description'));
    await target.expect(403, 'GET', 'sys/mounts', { token });
  }
  const anybody = await target.expect(200, 'GET', 'sys/internal/ui/mounts', { token: undefined });
  assert.deepEqual(at(anybody.json, 'data'), { secret: {}, auth: {} });
  for (const token of ['unknown', `s.${'A'.repeat(38)}`]) {
    await target.expect(403, 'GET', 'sys/internal/ui/mounts', { token });
  }
});

test('A13 capabilities-self answers alike for mounts that exist and others', async () => {
  const token = await target.tokenWith('path "sys/capabilities-self" { capabilities = ["update"] }');
  const paths = ['hidden/data/there', 'hidden/', 'absent/data/x', 'sys/mounts/hidden'];
  const { json } = await target.expect(200, 'POST', 'sys/capabilities-self', { token, body: { paths } });
  for (const path of paths) assert.deepEqual(at(json, 'data', path), ['deny']);
});

test('A11 no limit of a list is escaped, and none is misread', async () => {
  const names = Array.from({ length: 25 }, (_, i) => `n${String(i).padStart(2, '0')}`);
  await Promise.all(names.map((name) => target.put(`secret/data/many/${name}`, 'x')));
  const keys = async (query: string): Promise<unknown> =>
    at((await target.expect(200, 'LIST', `secret/metadata/many${query}`)).json, 'data', 'keys');
  for (const all of ['0', '-1', '-9007199254740991', '25', '26', '9007199254740991', '']) {
    assert.deepEqual(await keys(`?limit=${all}`), names, `limit=${all}`);
  }
  assert.deepEqual(await keys('?limit=1'), names.slice(0, 1));
  assert.deepEqual(await keys('?limit=24&after=n00'), names.slice(1));
  assert.deepEqual(await keys('?limit=99&limit=2'), names.slice(0, 2));
  for (const bad of [
    'NaN',
    'Infinity',
    '1.5',
    '1e3',
    '0x10',
    '010',
    '1_000',
    '9007199254740992',
    '9'.repeat(400),
    '%20',
    'all',
    '1;2',
    "1'--",
  ]) {
    await target.expect(400, 'LIST', `secret/metadata/many?limit=${bad}`);
    await target.expect(400, 'GET', `secret/metadata/many?list=true&limit=${bad}`);
    await target.expect(400, 'LIST', `sys/policies/acl?limit=${bad}`);
  }
});
