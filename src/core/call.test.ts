import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError } from '../framework/errors.ts';
import { type Call, readCall, readHeader, WRAP_TTL } from './call.ts';
import { headersOf, requestOf } from './testing.ts';

type Lines = readonly (readonly [string, string])[];

const call = (method: string, target: string, headers: Lines = []): Call =>
  readCall(requestOf(method, target, headers));

const refused =
  (status: number, sentence = /./) =>
  (error: unknown): boolean =>
    error instanceof ServiceError && error.status === status && sentence.test(error.message);

describe('methods', () => {
  for (const [method, verb, mute] of [
    ['GET', 'read', false],
    ['LIST', 'list', false],
    ['SCAN', 'scan', false],
    ['POST', 'write', false],
    ['PUT', 'write', false],
    ['PATCH', 'patch', false],
    ['DELETE', 'remove', false],
    ['HEAD', 'read', true],
    ['OPTIONS', 'read', true],
  ] as const) {
    test(method, () => {
      const { verb: actual, mute: silent } = call(method, '/v1/a');
      assert.deepEqual([actual, silent], [verb, mute]);
    });
  }

  for (const method of ['TRACE', 'CONNECT', 'get', 'Get', 'LISTS', 'MOVE', '__proto__', 'constructor']) {
    test(`${method} is 405, before a word about the path`, () => {
      assert.throws(() => call(method, '/v1/a'), refused(405));
      assert.throws(() => call(method, '/v1/../a'), refused(405));
    });
  }
});

describe('a read asked to list', () => {
  for (const [method, query, verb] of [
    ['GET', 'list=true', 'list'],
    ['GET', 'list=1', 'list'],
    ['GET', 'list=T', 'list'],
    ['GET', 'list=false', 'read'],
    ['GET', 'list=0', 'read'],
    ['GET', 'list=', 'read'],
    ['GET', 'list', 'read'],
    ['GET', 'LIST=true', 'read'],
    ['GET', 'list=false&list=true', 'list'],
    ['GET', 'after=a&list=true&limit=1', 'list'],
    ['HEAD', 'list=true', 'read'],
    ['POST', 'list=true', 'write'],
    ['DELETE', 'list=true', 'remove'],
    ['DELETE', 'list=yes', 'remove'],
    ['GET', 'scan=true', 'scan'],
    ['GET', 'scan=1&after=a', 'scan'],
    ['GET', 'scan=false', 'read'],
    ['GET', 'scan', 'read'],
    ['GET', 'scan=true&list=false', 'scan'],
    ['GET', 'scan=0&list=1', 'list'],
    ['SCAN', 'scan=true', 'scan'],
    ['SCAN', 'list=true', 'scan'],
    ['LIST', 'scan=true', 'list'],
    ['HEAD', 'scan=true', 'read'],
    ['POST', 'scan=true&list=true', 'write'],
  ] as const) {
    test(`${method} ?${query}`, () => assert.equal(call(method, `/v1/a?${query}`).verb, verb));
  }

  for (const text of ['yes', '2', 'tRUE', 'true ']) {
    test(`list=${text} is 400`, () => {
      assert.throws(() => call('GET', `/v1/a?list=${encodeURIComponent(text)}`), refused(400, /^list: /));
      assert.throws(() => call('GET', `/v1/a?scan=${encodeURIComponent(text)}`), refused(400, /^scan: /));
    });
  }

  test('both at once are 400', () => {
    assert.throws(() => call('GET', '/v1/a?list=true&scan=true'), refused(400, /^list, scan: /));
  });
});

describe('tokens', () => {
  for (const [what, headers, token] of [
    ['none', [], undefined],
    ['its own header', [['x-service-token', 's.a']], 's.a'],
    ["the family's header", [['x-vault-token', 's.a']], 's.a'],
    [
      'both, equal',
      [
        ['x-service-token', 's.a'],
        ['x-vault-token', 's.a'],
      ],
      's.a',
    ],
    ['a Bearer', [['authorization', 'Bearer s.a']], 's.a'],
    ['a Bearer in other letters and blanks', [['authorization', 'bEARER   s.a']], 's.a'],
    [
      'a Bearer beside a header',
      [
        ['authorization', 'Bearer s.b'],
        ['x-service-token', 's.a'],
      ],
      's.a',
    ],
    [
      'a Bearer beside an empty header',
      [
        ['authorization', 'Bearer s.b'],
        ['x-service-token', ''],
      ],
      's.b',
    ],
    ['an empty header', [['x-service-token', '']], undefined],
    ['a Bearer behind another blank', [['authorization', 'Bearer\ts.a']], undefined],
    ['a Bearer that starts with a hard space', [['authorization', 'Bearer \u00a0s.a']], '\u00a0s.a'],
    ['an empty Bearer', [['authorization', 'Bearer']], undefined],
    ['another scheme', [['authorization', 'Basic czphOmI=']], undefined],
    ['a word that starts alike', [['authorization', 'Bearers.a']], undefined],
    ['a cookie', [['cookie', 'token=s.a']], undefined],
  ] as const) {
    test(what, () => assert.equal(call('GET', '/v1/a', headers).token, token));
  }

  for (const [what, headers] of [
    [
      'two lines, equal',
      [
        ['x-service-token', 's.a'],
        ['x-service-token', 's.a'],
      ],
    ],
    [
      "two lines of the family's, equal",
      [
        ['x-vault-token', 's.a'],
        ['x-vault-token', 's.a'],
      ],
    ],
    [
      'both, different',
      [
        ['x-service-token', 's.a'],
        ['x-vault-token', 's.b'],
      ],
    ],
    [
      'both, one of them empty',
      [
        ['x-service-token', ''],
        ['x-vault-token', 's.b'],
      ],
    ],
    [
      'two Bearers',
      [
        ['authorization', 'Bearer s.a'],
        ['authorization', 'Bearer s.a'],
      ],
    ],
    [
      'two Bearers beside a header',
      [
        ['x-service-token', 's.a'],
        ['authorization', 'Bearer s.a'],
        ['authorization', 'x'],
      ],
    ],
  ] as const) {
    test(`${what}: 400, and the sentence does not repeat a token`, () => {
      assert.throws(() => call('GET', '/v1/a', headers), refused(400, /^(?!.*s\.[ab])/));
    });
  }
});

describe('namespaces', () => {
  for (const [value, foreign] of [
    ['', false],
    ['/', false],
    ['root', false],
    ['root/', false],
    ['ns1', true],
    ['root/ns1', true],
    ['Root', true],
    ['//', true],
  ] as const) {
    test(`"${value}" is ${foreign ? 'foreign' : 'the root'}`, () => {
      assert.equal(call('GET', '/v1/a', [['x-service-namespace', value]]).foreignNamespace, foreign);
      assert.equal(call('GET', '/v1/a', [['x-vault-namespace', value]]).foreignNamespace, foreign);
    });
  }

  test('none is the root', () => assert.equal(call('GET', '/v1/a').foreignNamespace, false));
  test('two are 400', () => {
    const twice: Lines = [
      ['x-vault-namespace', 'a'],
      ['x-vault-namespace', 'a'],
    ];
    assert.throws(() => call('GET', '/v1/a', twice), refused(400));
  });
});

test('a header that the two spellings of a name share is read once', () => {
  const headers = headersOf([
    ['x-service-wrap-ttl', '60'],
    ['x-vault-wrap-ttl', '60'],
  ]);
  assert.equal(readHeader(headers, WRAP_TTL), '60');
  assert.equal(readHeader(headersOf([]), WRAP_TTL), undefined);
  const other = headersOf([
    ['x-service-wrap-ttl', '60'],
    ['x-vault-wrap-ttl', '1m'],
  ]);
  assert.throws(() => readHeader(other, WRAP_TTL), refused(400, /^x-service-wrap-ttl and x-vault-wrap-ttl differ/));
});

test('the query is read as a form, a path as it is', () => {
  const { path, query } = call('GET', '/v1/a%20b?after=c+d&limit=1&limit=2');
  assert.equal(path, 'a b');
  assert.deepEqual(
    [...query],
    [
      ['after', 'c d'],
      ['limit', '2'],
    ],
  );
  assert.throws(() => call('GET', '/v1/a?b=%zz'), refused(400, /^query: /));
});
