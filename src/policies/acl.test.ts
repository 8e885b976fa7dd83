import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Acl, ROOT_ACL } from './acl.ts';
import { CAPABILITIES } from './capability.ts';
import { DEFAULT_POLICY } from './default.ts';
import { parsePolicy } from './parse.ts';

/** A policy text out of { path: 'read,list' }. */
const text = (rules: Readonly<Record<string, string>>) =>
  Object.entries(rules)
    .map(([path, words]) => `path "${path}" { capabilities = ${JSON.stringify(words.split(','))} }`)
    .join('\n');
const acl = (...policies: readonly Readonly<Record<string, string>>[]) =>
  Acl.compile(policies.map((rules) => parsePolicy(text(rules))));
const caps = (list: Acl, expected: Readonly<Record<string, string>>) =>
  assert.deepEqual(
    Object.fromEntries(Object.keys(expected).map((path) => [path, list.capabilities(path).join()])),
    expected,
  );

describe('which rule decides', () => {
  for (const [what, rules, expected] of [
    [
      'exact',
      { 'a/b': 'read' },
      { 'a/b': 'read', 'a/b/c': 'deny', a: 'deny', 'a/bc': 'deny', 'A/b': 'deny', 'a/b/': 'read' },
    ],
    [
      'a star at the end (A8)',
      { 'a*': 'read' },
      { a: 'read', 'a/': 'read', ab: 'read', 'a/b': 'read', 'b/a': 'deny', '': 'deny' },
    ],
    [
      'a star within a segment',
      { 'a/b*': 'read' },
      { 'a/b': 'read', 'a/bc': 'read', 'a/b/c/d': 'read', 'a/c': 'deny', a: 'deny' },
    ],
    ['a star after a slash', { 'a/*': 'read' }, { a: 'deny', 'a/': 'read', 'a/b': 'read', ab: 'deny' }],
    ['a star alone', { '*': 'read' }, { '': 'read', a: 'read', 'a/b': 'read' }],
    ['a star elsewhere is a letter', { 'a/*/c': 'read' }, { 'a/b/c': 'deny', 'a/*/c': 'read' }],
    [
      '+ is one segment (A8)',
      { 'a/+/c': 'read', '+/z': 'list' },
      { 'a/b/c': 'read', 'a/b/x/c': 'deny', 'a/c': 'deny', 'a/b/c/d': 'deny', 'q/z': 'list', 'q/q/z': 'deny' },
    ],
    [
      '+ within a segment is a letter',
      { 'a/+b': 'read', 'a/b+/c': 'list' },
      { 'a/+b': 'read', 'a/xb': 'deny', 'a/b+/c': 'list', 'a/bx/c': 'deny' },
    ],
    [
      '+ takes the empty segment after a slash too, as in the family',
      { 'a/+': 'read' },
      { 'a/b': 'read', 'a/': 'read', a: 'deny' },
    ],
    [
      '+ and a star',
      { 'a/+/c*': 'read' },
      { 'a/b/c': 'read', 'a/b/cd': 'read', 'a/b/c/d': 'read', 'a/b': 'deny', 'a/b/d': 'deny' },
    ],
    [
      'exact, then the longer prefix',
      { 'a/*': 'read', 'a/b/*': 'list', 'a/b/c': 'update' },
      { 'a/x': 'read', 'a/b/x': 'list', 'a/b/c': 'update' },
    ],
    ['the later first wildcard', { 'a/+/c': 'read', 'a/b*': 'list' }, { 'a/b/c': 'list', 'a/x/c': 'read' }],
    [
      'no star at the end, then fewer +',
      { 'a/+/c': 'read', 'a/*': 'list', 'a/+/d*': 'update', 'a/+/de': 'delete' },
      { 'a/b/c': 'read', 'a/b/x': 'list', 'a/b/de': 'delete', 'a/b/dx': 'list' },
    ],
    ['fewer +', { 'a/+/+/d': 'read', 'a/+/c/d': 'list' }, { 'a/b/c/d': 'list', 'a/b/x/d': 'read' }],
    ['the longer', { 'z/+/a*': 'read', 'z/+/ab*': 'update' }, { 'z/q/abc': 'update', 'z/q/ax': 'read' }],
    ['of equals the deny (A8)', { '+/b/+': 'read', '+/+/c': 'deny' }, { 'x/b/c': 'deny', 'x/b/d': 'read' }],
    ['of equals the deny, the other way', { '+/b/+': 'deny', '+/+/c': 'read' }, { 'x/b/c': 'deny', 'x/d/c': 'read' }],
    ['of equals that grant the leftmost letter', { '+/b/+': 'read', '+/+/c': 'list' }, { 'x/b/c': 'read' }],
    [
      'different paths never add up',
      { '*': 'read', 'a*': 'list', a: 'update' },
      { a: 'update', ab: 'list', b: 'read' },
    ],
    ['a wide deny leaves a narrow grant', { 'a/*': 'deny', 'a/b': 'read' }, { 'a/b': 'read', 'a/c': 'deny' }],
    [
      'bytes, not letters (A3)',
      { 's/*': 'read', 's/\u00e9': 'deny', 's/x': 'deny' },
      { 's/\u00e9': 'deny', 's/e\u0301': 'read', 's/X': 'read', 's/x': 'deny' },
    ],
    [
      'names of JavaScript',
      { 'a/*': 'read' },
      { 'a/__proto__': 'read', __proto: 'deny', constructor: 'deny', toString: 'deny' },
    ],
  ] as const) {
    test(what, () => caps(acl(rules), expected));
  }

  test('one path over several policies merges, deny wins, in any order', () => {
    const [read, more, deny] = [{ a: 'read' }, { a: 'list,update' }, { a: 'deny' }];
    caps(acl(read, more), { a: 'list,read,update' });
    for (const order of [
      [read, deny],
      [deny, read],
      [read, deny, more],
    ])
      caps(acl(...order), { a: 'deny' });
    caps(acl({ '/a/+/b*': 'read' }, { 'a/+/b*': 'list' }), { 'a/x/bc': 'list,read' });
  });

  test('an empty rule grants nothing and still stands before wider ones', () => {
    const list = Acl.compile([parsePolicy('path "*" { policy = "read" } path "a" { }')]);
    caps(list, { a: 'deny', b: 'list,read' });
  });

  test('no policy, no capability', () => {
    const none = Acl.compile([]);
    caps(none, { '': 'deny', a: 'deny', 'a/': 'deny' });
    for (const capability of CAPABILITIES) assert.equal(none.allows(capability, 'a'), false);
    assert.equal(none.reaches('a/'), false);
  });
});

describe('operations', () => {
  test('each capability is its own', () => {
    for (const granted of CAPABILITIES) {
      const list = acl({ a: granted });
      for (const asked of CAPABILITIES)
        assert.equal(list.allows(asked, 'a'), asked === granted && asked !== 'deny', `${granted} ${asked}`);
      assert.equal(list.sudo('a'), granted === 'sudo');
    }
  });

  test('a folder under either spelling: the most specific of both decides (A2)', () => {
    for (const [rules, allowed] of [
      [{ 'm/f/': 'list' }, true],
      [{ 'm/f': 'list' }, true],
      [{ 'm/f*': 'list' }, true],
      [{ 'm/+': 'list' }, true],
      [{ 'm/f/*': 'list' }, true],
      [{ 'm/g': 'list' }, false],
      [{ 'm/f/g': 'list' }, false],
      [{ 'm/*': 'list', 'm/f*': 'deny' }, false],
      [{ 'm/*': 'list', 'm/f': 'deny' }, false],
      [{ 'm/*': 'list', 'm/f/': 'deny' }, false],
      [{ 'm/*': 'list', 'm/+': 'deny' }, false],
      [{ 'm/*': 'list', '+/f': 'deny' }, true],
      [{ 'm/f/*': 'list', 'm/f': 'deny' }, false],
      [{ 'm/f/': 'list', 'm/f': 'deny' }, false],
      [{ 'm/f/': 'deny', 'm/f': 'list' }, false],
      [{ '+/f/': 'list', '+/f': 'deny' }, false],
      [{ 'm/*': 'deny', 'm/f': 'list' }, true],
      [{ 'm/f*': 'deny', 'm/f/*': 'list' }, true],
    ] as const) {
      for (const path of ['m/f', 'm/f/'])
        assert.equal(acl(rules).allows('list', path), allowed, `${JSON.stringify(rules)} ${path}`);
    }
  });

  test('the slash counts for every operation but list and scan', () => {
    const list = acl({ 'a/': 'read,scan' });
    assert.equal(list.allows('read', 'a/'), true);
    assert.equal(list.allows('read', 'a'), false);
    assert.equal(list.allows('scan', 'a'), true);
  });

  test('sudo is decided by the rule of the operation', () => {
    const list = acl({ 'a/': 'list,sudo' });
    assert.equal(list.sudo('a', 'list'), true);
    assert.equal(list.sudo('a/'), true);
    assert.equal(list.sudo('a'), false);
  });

  test('root', () => {
    assert.deepEqual(ROOT_ACL.capabilities('x'), ['root']);
    assert.ok(ROOT_ACL.allows('sudo', 'x') && ROOT_ACL.sudo('x') && ROOT_ACL.reaches('x/'));
  });
});

describe('what a mount is reached by', () => {
  for (const [rules, reached] of [
    [{ 'kv/data/a': 'read' }, true],
    [{ kv: 'read' }, true],
    [{ 'kv/': 'read' }, true],
    [{ '*': 'read' }, true],
    [{ 'k*': 'read' }, true],
    [{ '+/data/*': 'read' }, true],
    [{ '+/data/+/x': 'sudo' }, true],
    [{ '+/+': 'read' }, true],
    [{ kv2: 'read', 'kv2/*': 'read', 'a/kv/x': 'read' }, false],
    [{ 'kv/*': 'deny' }, false],
    [{ '*': 'read', 'kv/*': 'deny' }, false],
    [{ '*': 'read', 'kv*': 'deny' }, false],
    [{ '+/data/x': 'read', 'kv/*': 'deny' }, false],
    [{ '*': 'read', 'kv/*': 'deny', kv: 'deny' }, false],
    [{ 'kv/*': 'deny', 'kv/a': 'read' }, true],
    [{ 'kv/*': 'read', 'kv/+': 'deny' }, true],
    [{ 'kv/*': 'read', 'kv/+': 'deny', 'kv/+/*': 'deny' }, true],
    [{ 'k*': 'read', 'kv/+': 'deny', 'kv/+/+': 'deny' }, true],
    [{ 'k*': 'read', 'kv/+': 'deny', 'kv/+/*': 'deny', kv: 'deny' }, false],
  ] as const) {
    test(`${JSON.stringify(rules)}: ${reached}`, () => assert.equal(acl(rules).reaches('kv/'), reached));
  }

  test('a mount of two segments', () => {
    assert.equal(acl({ 'auth/+/login': 'update' }).reaches('auth/jwt/'), true);
    assert.equal(acl({ 'auth/token/*': 'update' }).reaches('auth/jwt/'), false);
  });
});

test('the default policy gives what stock clients count on and no more', () => {
  caps(Acl.compile([parsePolicy(DEFAULT_POLICY)]), {
    'auth/token/lookup-self': 'read',
    'auth/token/renew-self': 'update',
    'auth/token/revoke-self': 'update',
    'sys/capabilities-self': 'update',
    'cubbyhole/x': 'create,delete,list,read,update',
    'sys/wrapping/wrap': 'update',
    'sys/wrapping/lookup': 'update',
    'sys/wrapping/unwrap': 'update',
    'sys/leases/renew': 'update',
    'sys/leases/lookup': 'update',
    'sys/tools/hash': 'update',
    'sys/tools/hash/sha2-256': 'update',
    'sys/internal/ui/resultant-acl': 'read',
    'sys/mounts': 'deny',
    'auth/token/create': 'deny',
    'sys/leases/lookup/x': 'deny',
    'auth/token/lookup': 'deny',
  });
});
