import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../framework/errors.ts';
import { MAX_PATH_BYTES, MAX_SEGMENT_BYTES, parseForm, parseTarget } from './path.ts';

/** The error of a target that is refused. */
function refusal(target: string): ServiceError {
  try {
    parseTarget(target);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  return assert.fail(`not refused: ${target}`);
}

describe('canonical paths', () => {
  for (const [target, path, query] of [
    ['/v1/secret/data/a', 'secret/data/a', ''],
    ['/v1/secret/', 'secret/', ''],
    ['/v1/', '', ''],
    ['/v1/a?', 'a', ''],
    ['/v1/a?b=c&d', 'a', 'b=c&d'],
    ['/v1/a?b=//../%00?', 'a', 'b=//../%00?'],
    // Encoded or not, one name is one path.
    ['/v1/a%20b', 'a b', ''],
    ['/v1/%61', 'a', ''],
    ['/v1/%C3%A4', 'ä', ''],
    ['/v1/%f0%9f%94%91', '🔑', ''],
    ['/v1/a+b', 'a+b', ''],
    ['/v1/a%2Bb%25', 'a+b%', ''],
    ['/v1/a%3Fb%23c', 'a?b#c', ''],
    ['/v1/a;b=c', 'a;b=c', ''],
    // Dots that are no segment of their own.
    ['/v1/a/...', 'a/...', ''],
    ['/v1/a/.b/c./d..e', 'a/.b/c./d..e', ''],
    ['/v1/a\\b', 'a\\b', ''],
    // Decoded once, and never again.
    ['/v1/%252e%252e/%252f', '%2e%2e/%2f', ''],
    ['/v1/%7E%C2%A0', '~\u00a0', ''],
  ] as const) {
    test(target, () => assert.deepEqual(parseTarget(target), { path, query }));
  }
});

describe('paths that are not canonical', () => {
  for (const [target, sentence] of [
    ['/v1/..', /"\."/],
    ['/v1/.', /"\."/],
    ['/v1/a/../b', /"\."/],
    ['/v1/a/./b', /"\."/],
    ['/v1/a/..', /"\."/],
    ['/v1/../v1/a', /"\."/],
    ['/v1/a/%2e%2e/b', /"\."/],
    ['/v1/a/%2E./b', /"\."/],
    ['/v1/a/.%2e', /"\."/],
    ['/v1/a\\..\\b', /"\."/],
    ['/v1/a%5C..%5Cb', /"\."/],
    ['/v1/a%2Fb', /encoded slash/],
    ['/v1/a%2fb', /encoded slash/],
    ['/v1/%2F', /encoded slash/],
    ['/v1/a%00b', /control/],
    ['/v1/a%0a', /control/],
    ['/v1/a%1f', /control/],
    ['/v1/a%7f', /control/],
    ['/v1/a%C2%80', /control/],
    ['/v1/a%C2%9F', /control/],
    ['/v1/%', /percent/],
    ['/v1/%4', /percent/],
    ['/v1/%zz', /percent/],
    ['/v1/%ff', /percent/],
    ['/v1/%c0%af', /percent/],
    ['/v1/%c0%ae%c0%ae/a', /percent/],
    ['/v1/%ed%a0%80', /percent/],
    ['/v1/a//..', /"\."/],
    ['/v1//a%2Fb', /encoded slash/],
  ] as const) {
    test(`${target} is 400`, () => {
      const { status, message } = refusal(target);
      assert.equal(status, 400);
      assert.match(message, sentence);
    });
  }

  for (const target of ['/', '/v2/a', '/v1', '/v1?a', '/V1/a', '/v1x/a', '/%76%31/a', '/..', '/v1%2Fa', '//v2/a']) {
    test(`${target} is 404: there is nothing outside /v1/`, () => assert.equal(refusal(target).status, 404));
  }

  for (const [target, location] of [
    ['/v1//a', '/v1/a'],
    ['//v1/a', '/v1/a'],
    ['/v1/a//b///c', '/v1/a/b/c'],
    ['/v1/a//', '/v1/a/'],
    ['/v1//', '/v1/'],
    ['/v1/a//b?c=//d', '/v1/a/b?c=//d'],
    ['/v1/a%20//b', '/v1/a%20/b'],
    ['////v1/a', '/v1/a'],
  ] as const) {
    test(`${target} belongs at ${location}`, () => {
      const { status, headers } = refusal(target);
      assert.equal(status, 307);
      assert.deepEqual(headers, [['Location', location]]);
    });
  }
});

describe('lengths', () => {
  const segment = 'a'.repeat(MAX_SEGMENT_BYTES);
  // Two segments of 511 and a slash: 1,023 bytes.
  const longest = `${'a'.repeat(MAX_SEGMENT_BYTES - 1)}/${'b'.repeat(MAX_SEGMENT_BYTES - 1)}`;

  test('are those of the conventions', () => assert.deepEqual([MAX_PATH_BYTES, MAX_SEGMENT_BYTES], [1_024, 512]));

  for (const [what, path, fits] of [
    ['a segment at the limit', segment, true],
    ['a segment over it', `${segment}a`, false],
    ['a last segment over it', `a/${segment}a`, false],
    ['a path at the limit', `${longest}/`, true],
    ['a path over it', `${longest}/c`, false],
    ['a segment of two-byte letters at the limit', 'ä'.repeat(MAX_SEGMENT_BYTES / 2), true],
    ['a segment of two-byte letters over it', `${'ä'.repeat(MAX_SEGMENT_BYTES / 2)}a`, false],
    ['a segment of three-byte letters at the limit', `${'€'.repeat(170)}aa`, true],
    ['a segment of three-byte letters over it', '€'.repeat(171), false],
    ['a segment of four-byte letters at the limit', '🔑'.repeat(MAX_SEGMENT_BYTES / 4), true],
    ['a segment of four-byte letters over it', `${'🔑'.repeat(MAX_SEGMENT_BYTES / 4)}a`, false],
  ] as const) {
    test(what, () => {
      const target = `/v1/${encodeURI(path)}`;
      if (fits) assert.equal(parseTarget(target).path, path);
      else assert.equal(refusal(target).status, 400);
    });
  }
});

test('a path that is taken is canonical: given again as it came out, it is the same', () => {
  const piece = fc.constantFrom(
    'a',
    '.',
    '..',
    '/',
    '//',
    '%2e',
    '%2F',
    '%5c',
    '%',
    '%41',
    '%00',
    'ä',
    '\\',
    '+',
    '%c3%a4',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      let path: string;
      try {
        path = parseTarget(`/v1/${pieces.join('')}`).path;
      } catch (error) {
        assert.ok(error instanceof ServiceError && [307, 400].includes(error.status));
        return;
      }
      for (const segment of path.split(/[/\\]/)) assert.ok(segment !== '.' && segment !== '..');
      assert.ok(!path.includes('//') && !path.includes('\0'));
      assert.equal(parseTarget(`/v1/${encodeURIComponent(path).replaceAll('%2F', '/')}`).path, path);
    }),
    { numRuns: 2_000 },
  );
});

describe('forms', () => {
  for (const [text, fields] of [
    ['', []],
    ['a=1', [['a', '1']]],
    [
      'a=1&b=2',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    ['a', [['a', '']]],
    ['a=', [['a', '']]],
    ['=1', [['', '1']]],
    ['&&a=1&', [['a', '1']]],
    ['a=1&a=2', [['a', '2']]],
    ['a=b=c', [['a', 'b=c']]],
    ['a+b=c+d', [['a b', 'c d']]],
    ['a%2Bb=%26%3D', [['a+b', '&=']]],
    ['a=%C3%A4', [['a', 'ä']]],
    ['__proto__=1', [['__proto__', '1']]],
  ] as const) {
    test(text === '' ? 'nothing' : text, () => assert.deepEqual([...parseForm('query', text)], fields));
  }

  for (const text of ['a=%', 'a=%zz', '%=1', 'a=%ff', 'a=%c0%af']) {
    test(`${text} is 400, and the sentence does not repeat it`, () => {
      const isRefusal = (error: unknown): boolean =>
        error instanceof ServiceError && error.status === 400 && /^query: a percent sign/.test(error.message);
      assert.throws(() => parseForm('query', text), isRefusal);
    });
  }
});
