// Known attacks A5, A8–A11: a rule of a policy grants what it says, and what narrows it is escaped by no spelling.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, startTarget } from './support.ts';

const target = await startTarget();

test('A10 what a rule says that cannot be kept is refused, never left out silently', async () => {
  for (const rule of [
    'path "secret/data/{{identity.entity.nothing}}" { capabilities = ["read"] }',
    'path "secret/data/x}}" { capabilities = ["read"] }',
    'path "a" { capabilities = ["read"] denied_parameters = { "x" = [] } denied_parameters = { "y" = [] } }',
    'path "a" { capabilities = ["read"] denied_parameters = { "x" = ["1"] "X" = ["2"] } }',
    'path "a" { capabilities = ["read"] allowed_parameters = { "*" = ["x"] } }',
    'path "a" { capabilities = ["list"] pagination_limit = -2 }',
    'path "a" { capabilities = ["read"] expiration = "soon" }',
    'path "a" { capabilities = ["read"] capabilities = ["update"] }',
    '{"path":{"a":{"capabilities":["read"],"capabilities":["update"]}}}',
    'path "a" { capabilities = ["reed"] }',
    'path "a" { }  path "b" { capabilites = ["read"] }',
    'path "a/../b" { capabilities = ["read"] }',
    'path "a//b" { capabilities = ["read"] }',
    'path "a+*" { capabilities = ["read"] }',
  ]) {
    await target.expect(400, 'POST', 'sys/policies/acl/refused', { body: { policy: rule } });
  }
  await target.expect(404, 'GET', 'sys/policies/acl/refused');
});

test('A5 a rule with a template matches nothing for who has no such value', async () => {
  await target.put('secret/data/x', 'kept');
  const token = await target.tokenWith(
    'path "secret/data/{{identity.entity.metadata.team}}*" { capabilities = ["read"] } path "secret/data/y" { capabilities = ["read"] }',
  );
  for (const path of ['x', '', 'undefined', '%7B%7Bidentity.entity.metadata.team%7D%7D', '*', '+']) {
    const { status } = await target.send('GET', `secret/data/${path}`, { token });
    assert.equal(status, 403, path);
  }
  await target.expect(404, 'GET', 'secret/data/y', { token });
});

test('A9 a denied parameter comes in under no other spelling, as no list, no duplicate and no query', async () => {
  const make = 'path "auth/token/create" { capabilities = ["update", "sudo"] ';
  const any = await target.tokenWith(`${make} denied_parameters = { "policies" = [] } }`);
  const ops = await target.tokenWith(`${make} denied_parameters = { "policies" = ["ops"], "renewable" = [false] } }`);
  const dev = await target.tokenWith(`${make} allowed_parameters = { "policies" = ["dev"], "ttl" = ["1h"] } }`);
  const quoted = (text: string): string => JSON.stringify(text);
  for (const [token, body, status] of [
    [any, '{"policies":["dev"]}', 403],
    [any, '{"Policies":["dev"]}', 403],
    [any, '{"POLICIES":"dev"}', 403],
    [any, '{"policies":null}', 403],
    [any, '{"policies":[],"ttl":"1h"}', 403],
    [any, '{"p\\u006flicies":["dev"]}', 403],
    [any, '{"ttl":"1h","policies":"dev","policies":"dev"}', 403],
    [any, '{"ttl":"1h"}', 200],
    [ops, '{"policies":["ops"]}', 403],
    [ops, '{"policies":"ops"}', 403],
    [ops, '{"policies":"dev,ops"}', 403],
    [ops, '{"policies":["dev","ops"]}', 403],
    [ops, '{"policies":["dev,ops"]}', 403],
    [ops, '{"policies":[" OPS "]}', 403],
    [ops, '{"policies":["dev"],"policies":["ops"]}', 403],
    [ops, '{"policies":["dev"],"Policies":["ops"]}', 403],
    [ops, '{"renewable":false}', 403],
    [ops, '{"renewable":"F"}', 403],
    [ops, '{"renewable":0}', 403],
    [ops, '{"policies":["dev"],"renewable":"true"}', 200],
    [dev, '{"policies":["dev"]}', 200],
    [dev, '{"policies":"dev","ttl":3600}', 200],
    [dev, '{"policies":["dev","ops"]}', 403],
    [dev, '{"policies":"dev,ops"}', 403],
    [dev, '{"policies":[]}', 403],
    [dev, '{"policies":["dev"],"ttl":"2h"}', 403],
    [dev, '{"policies":["dev"],"period":"1h"}', 403],
  ] as const) {
    const { status: seen } = await target.send('POST', 'auth/token/create', { token, body });
    assert.equal(seen, status, quoted(body));
  }
  // The query of a write is not read: it neither grants nor is it looked at.
  const asked = await target.send('POST', 'auth/token/create?policies=ops', {
    token: ops,
    body: '{"policies":["dev"]}',
  });
  assert.deepEqual(at(asked.json, 'auth', 'policies'), ['default', 'dev']);
});

test('A11 no limit escapes the one of a rule', async () => {
  for (let i = 0; i < 6; i += 1) await target.put(`secret/data/paged/${i}`, 'x');
  const token = await target.tokenWith('path "secret/metadata/*" { capabilities = ["list"] pagination_limit = 2 }');
  const everything = await target.tokenWith('path "secret/metadata/*" { capabilities = ["list"] }');
  for (const limit of [
    '0',
    '-1',
    '-9007199254740993',
    '3',
    '1e9',
    '9'.repeat(40),
    'NaN',
    'Infinity',
    'max',
    '',
    '+2',
    '%2B6',
  ]) {
    for (const [method, query] of [
      ['LIST', `?limit=${limit}`],
      ['GET', `?list=true&limit=${limit}`],
      ['LIST', `?limit=1&limit=${limit}`],
    ] as const) {
      const { status, json } = await target.send(method, `secret/metadata/paged${query}`, { token });
      const keys = at(json, 'data', 'keys');
      assert.ok(
        [400, 403].includes(status) || (Array.isArray(keys) && keys.length <= 2),
        `${method} ${query}: ${status}`,
      );
    }
  }
  const all = await target.expect(200, 'LIST', 'secret/metadata/paged', { token: everything });
  assert.equal(Object(at(all.json, 'data', 'keys')).length, 6);
});

test('A8 a rule grants what it says and no more', async () => {
  for (const path of ['a', 'ab', 'a/b', 'a/b/c', 'b/a', 'b/x/c', 'b/x/y/c'])
    await target.put(`secret/data/g/${path}`, 'x');
  const rules: readonly (readonly [rules: string, granted: readonly string[]])[] = [
    ['a*=read', ['a', 'ab', 'a/b', 'a/b/c']],
    ['a=read', ['a']],
    ['a/=read', []],
    ['a/*=read', ['a/b', 'a/b/c']],
    ['+=read', ['a', 'ab']],
    ['+/b=read', ['a/b']],
    ['+/+=read', ['a/b', 'b/a']],
    ['b/+/c=read', ['b/x/c']],
    ['b/+/*=read', ['b/x/c', 'b/x/y/c']],
    ['a*b=read', []],
    ['a/b+=read', []],
    ['*=read', ['a', 'ab', 'a/b', 'a/b/c', 'b/a', 'b/x/c', 'b/x/y/c']],
    ['*=read a/*=deny', ['a', 'ab', 'b/a', 'b/x/c', 'b/x/y/c']],
    ['*=deny a/b=read', ['a/b']],
    ['a*=read ab=list', ['a', 'a/b', 'a/b/c']],
    ['a/b=read a/b=deny', []],
    ['+/b=deny a/*=read', ['a/b', 'a/b/c']],
    ['a/+=deny a/b=read', ['a/b']],
    ['a/+=deny a/*=read', ['a/b/c']],
    ['b/+/c=deny b/x/*=read', ['b/x/c', 'b/x/y/c']],
  ];
  for (const [text, granted] of rules) {
    const policy = text.split(' ').map((rule) => {
      const [path, capability] = rule.split('=');
      return `path "secret/data/g/${path}" { capabilities = ["${capability}"] }`;
    });
    const token = await target.tokenWith(policy.join('\n'));
    for (const path of ['a', 'ab', 'a/b', 'a/b/c', 'b/a', 'b/x/c', 'b/x/y/c']) {
      const { status } = await target.send('GET', `secret/data/g/${path}`, { token });
      assert.equal(status, granted.includes(path) ? 200 : 403, `${text}: ${path}`);
    }
  }
});

test('A8 denying in one of two policies denies, and a deny of root powers stops at root alone', async () => {
  const grant = await target.send('POST', 'sys/policies/acl/grant', {
    body: { policy: 'path "secret/*" { policy = "write" }' },
  });
  assert.equal(grant.status, 204);
  await target.expect(204, 'POST', 'sys/policies/acl/deny', {
    body: { policy: 'path "secret/*" { capabilities = ["deny", "read"] }' },
  });
  await target.put('secret/data/b', 'kept');
  await target.expect(200, 'GET', 'secret/data/b', { token: await target.token({ policies: ['grant'] }) });
  await target.expect(403, 'GET', 'secret/data/b', { token: await target.token({ policies: ['grant', 'deny'] }) });
  const sudo = await target.tokenWith('path "sys/*" { capabilities = ["read", "update", "delete"] }');
  for (const [method, path] of [
    ['POST', 'sys/seal'],
    ['POST', 'sys/rotate'],
    ['GET', 'sys/auth/token/tune'],
    ['POST', 'sys/auth/x'],
  ] as const) {
    await target.expect(403, method, path, { token: sudo, body: {} });
  }
});
