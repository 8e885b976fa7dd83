import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../framework/errors.ts';
import { type Head, HeadReader } from './head.ts';
import { DEFAULT_LIMITS } from './limits.ts';

/** The head in the text or the status it is refused with; undefined while incomplete. */
function read(text: string, limits = DEFAULT_LIMITS): Head | number | undefined {
  const bytes = Buffer.from(text, 'latin1');
  const reader = new HeadReader(limits);
  try {
    const after = reader.read(bytes, 0, bytes.length);
    return after < 0 ? undefined : reader.take(bytes, 0, after);
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    return error.status;
  }
}

/** The same, byte by byte, as a slow client sends it. */
function readSlowly(text: string): Head | number | undefined {
  const bytes = Buffer.from(text, 'latin1');
  const reader = new HeadReader(DEFAULT_LIMITS);
  try {
    for (let end = 1; end <= bytes.length; end++) {
      const after = reader.read(bytes, 0, end);
      if (after >= 0) return reader.take(bytes, 0, after);
    }
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    return error.status;
  }
  return undefined;
}

const line = 'GET /a HTTP/1.1\r\n';

test('a head is read, whole or byte by byte', () => {
  const text = 'LIST /v1/a?b=c%2Fd HTTP/1.1\r\nHost: h\r\nX-A:  b\t c \t\r\nx-a:d\r\nX-Empty:\r\nX-Latin: \xe9\r\n\r\n';
  for (const head of [read(text), readSlowly(text)]) {
    assert.ok(typeof head === 'object');
    assert.equal(head.method, 'LIST');
    assert.equal(head.target, '/v1/a?b=c%2Fd');
    assert.equal(head.minor, 1);
    assert.equal(head.headers.get('x-a'), 'b\t c, d');
    assert.deepEqual(head.headers.lines('x-a'), ['b\t c', 'd']);
    assert.equal(head.headers.get('x-empty'), '');
    assert.equal(head.headers.get('x-latin'), '\xe9');
    assert.equal(head.headers.get('x-b'), undefined);
    assert.deepEqual(head.headers.lines('x-b'), []);
  }
});

test('a reader reads one head after another', () => {
  const bytes = Buffer.from(`${line}A: 1\r\n\r\nPOST /b HTTP/1.0\r\nB: 2\r\n\r\n`);
  const reader = new HeadReader(DEFAULT_LIMITS);
  const first = reader.read(bytes, 0, bytes.length);
  assert.equal(reader.take(bytes, 0, first).headers.get('a'), '1');
  const second = reader.read(bytes, first, bytes.length);
  assert.equal(second, bytes.length);
  const head = reader.take(bytes, first, second);
  assert.deepEqual(
    [head.method, head.target, head.minor, head.headers.get('a'), head.headers.get('b')],
    ['POST', '/b', 0, undefined, '2'],
  );
});

const REFUSED: readonly (readonly [string, string, number])[] = [
  ['bare LF after the request line', 'GET /a HTTP/1.1\nHost: h\n\n', 400],
  ['bare LF after a header', `${line}A: b\n\r\n`, 400],
  ['bare LF as the empty line', `${line}A: b\r\n\n`, 400],
  ['bare CR in a value', `${line}A: b\rc\r\n\r\n`, 400],
  ['bare CR for the empty line', `${line}\rA`, 400],
  ['a folded line', `${line}A: b\r\n c\r\n\r\n`, 400],
  ['a blank first line of headers', `${line} A: b\r\n\r\n`, 400],
  ['a blank before the colon', `${line}A : b\r\n\r\n`, 400],
  ['an empty name', `${line}: b\r\n\r\n`, 400],
  ['no colon', `${line}A\r\n\r\n`, 400],
  ['NUL in a value', `${line}A: b\0\r\n\r\n`, 400],
  ['DEL in a value', `${line}A: b\x7f\r\n\r\n`, 400],
  ['an escape in a value', `${line}A: \x1b\r\n\r\n`, 400],
  ['a name beyond ASCII', `${line}\xc4: b\r\n\r\n`, 400],
  ['two leading empty lines', `\r\n\r\n${line}\r\n`, 400],
  ['a leading LF', `\n${line}\r\n`, 400],
  ['no method', ' /a HTTP/1.1\r\n\r\n', 400],
  ['a method that is no token', 'G(T /a HTTP/1.1\r\n\r\n', 400],
  ['two blanks after the method', 'GET  /a HTTP/1.1\r\n\r\n', 400],
  ['two blanks after the target', 'GET /a  HTTP/1.1\r\n\r\n', 505],
  ['a blank after the version', 'GET /a HTTP/1.1 \r\n\r\n', 400],
  ['absolute form', 'GET http://h/a HTTP/1.1\r\n\r\n', 400],
  ['authority form', 'CONNECT h:1 HTTP/1.1\r\n\r\n', 400],
  ['asterisk form', 'OPTIONS * HTTP/1.1\r\n\r\n', 400],
  ['HTTP/0.9', 'GET /a\r\n', 400],
  ['HTTP/1.2', 'GET /a HTTP/1.2\r\n\r\n', 505],
  ['HTTP/2.0', 'GET /a HTTP/2.0\r\n\r\n', 505],
  ['http/1.1', 'GET /a http/1.1\r\n\r\n', 505],
  ['HTTP/1.10', 'GET /a HTTP/1.10\r\n\r\n', 400],
  ['a TLS greeting', '\x16\x03\x01\x02', 400],
  ...[...'#"<>\\^`{|}\x7f\0\x80\t'].map(
    (c) => [`target with ${JSON.stringify(c)}`, `GET /a${c} HTTP/1.1\r\n\r\n`, 400] as const,
  ),
];

for (const [name, text, status] of REFUSED) {
  test(`refused: ${name}`, () => {
    assert.equal(read(text), status);
    assert.equal(readSlowly(text), status);
  });
}

test('both sides of each limit', () => {
  const filler = (count: number): string => Array.from({ length: count }, (_, i) => `X${i}: y\r\n`).join('');
  const passes = (text: string): boolean => typeof read(text) === 'object';
  assert.ok(passes(`${'M'.repeat(32)} /a HTTP/1.1\r\n\r\n`));
  assert.equal(read(`${'M'.repeat(33)} /a HTTP/1.1\r\n\r\n`), 400);
  assert.ok(passes(`GET /${'a'.repeat(8191)} HTTP/1.1\r\n\r\n`));
  assert.equal(read(`GET /${'a'.repeat(8192)} HTTP/1.1\r\n\r\n`), 414);
  assert.ok(passes(`${line}A: ${'b'.repeat(8189)}\r\n\r\n`));
  assert.equal(read(`${line}A: ${'b'.repeat(8190)}\r\n\r\n`), 431);
  assert.equal(read(`${line}${'A'.repeat(8193)}`), 431);
  assert.equal(read(`${line}A:${' '.repeat(8192)}`), 431);
  assert.ok(passes(`${line}${filler(100)}\r\n`));
  assert.equal(read(`${line}${filler(101)}\r\n`), 431);
  const limits = { ...DEFAULT_LIMITS, headerBytes: line.length + 8 };
  assert.equal(typeof read(`${line}A: bc\r\n\r\n`.replace('bc', 'b'), limits), 'object');
  assert.equal(read(`${line}A: bc\r\n\r\n`, limits), 431);
  assert.equal(read(`${line}A: bcdefgh`, limits), 431);
});

test('one leading empty line is passed over', () => {
  const head = read(`\r\n${line}\r\n`);
  assert.ok(typeof head === 'object' && head.target === '/a' && head.method === 'GET');
});
