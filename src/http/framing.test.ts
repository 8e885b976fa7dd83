import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../framework/errors.ts';
import { type Framing, framingOf } from './framing.ts';
import { HeadReader } from './head.ts';
import { DEFAULT_LIMITS } from './limits.ts';

function framing(lines: readonly string[], version = '1.1'): Framing | number {
  const host = lines.some((line) => line.toLowerCase().startsWith('host:')) || version === '1.0' ? [] : ['Host: h'];
  const bytes = Buffer.from(
    `POST /a HTTP/${version}\r\n${[...host, ...lines].map((line) => `${line}\r\n`).join('')}\r\n`,
  );
  const reader = new HeadReader(DEFAULT_LIMITS);
  const head = reader.take(bytes, 0, reader.read(bytes, 0, bytes.length));
  try {
    return framingOf(head, DEFAULT_LIMITS.bodyBytes);
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    return error.status;
  }
}

const plain = { length: 0, keepAlive: true, awaitsContinue: false };

const CASES: readonly (readonly [readonly string[], string, Partial<Framing> | number])[] = [
  [[], '1.1', plain],
  [['Content-Length: 0'], '1.1', plain],
  [['Content-Length: 007'], '1.1', { length: 7 }],
  [['Content-Length: 33554432'], '1.1', { length: 33_554_432 }],
  [['Content-Length: 33554433'], '1.1', 413],
  [['Content-Length: 9007199254740991'], '1.1', 413],
  [['Content-Length: 9007199254740992'], '1.1', 400],
  [['Content-Length: 00000000000000001'], '1.1', 400],
  ...['', '+2', '-2', ' 2 3', '0x2', '2, 2', '2,2', '2.0', '1e1', 'two', '\u0662'].map(
    (v) => [[`Content-Length: ${v}`], '1.1', 400] as const,
  ),
  [['Content-Length: 2', 'Content-Length: 2'], '1.1', 400],
  [['Content-Length: 2', 'content-length: 3'], '1.1', 400],
  [['Transfer-Encoding: chunked'], '1.1', { length: -1 }],
  [['Transfer-Encoding: chunked', 'Content-Length: 2'], '1.1', 400],
  [['Content-Length: 0', 'Transfer-Encoding: identity'], '1.1', 400],
  [['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], '1.1', 400],
  ...['', 'identity', 'gzip, chunked', 'chunked, chunked', 'xchunked', 'chunked;q=1', '"chunked"'].map(
    (v) => [[`Transfer-Encoding: ${v}`], '1.1', 400] as const,
  ),
  [['Transfer-Encoding: chunked'], '1.0', 400],
  [['Host:'], '1.1', plain],
  [['Host: [::1]:80'], '1.1', plain],
  [['Host: a', 'Host: a'], '1.1', 400],
  [['Host: a', 'Host: a'], '1.0', 400],
  ...['a, b', 'a b', 'u@h', 'a/b', 'a\\b', 'http://a'].map((v) => [[`Host: ${v}`], '1.1', 400] as const),
  [['Connection: close'], '1.1', { keepAlive: false }],
  [['Connection: Foo , CLOSE'], '1.1', { keepAlive: false }],
  [['Connection: foo', 'Connection: close'], '1.1', { keepAlive: false }],
  [['Connection: keep-alive, close'], '1.1', { keepAlive: false }],
  [['Connection: disclose'], '1.1', { keepAlive: true }],
  [[], '1.0', { keepAlive: false }],
  [['Connection: Keep-Alive'], '1.0', { keepAlive: true }],
  [['Expect: 100-Continue', 'Content-Length: 1'], '1.1', { awaitsContinue: true }],
  [['Expect: 100-continue'], '1.1', { awaitsContinue: false }],
  [['Expect: 100-continue', 'Content-Length: 1'], '1.0', { awaitsContinue: false }],
  [['Expect: 200-ok', 'Content-Length: 1'], '1.1', 417],
];

for (const [lines, version, wanted] of CASES) {
  test(`HTTP/${version} ${JSON.stringify(lines)}`, () => {
    const got = framing(lines, version);
    if (typeof wanted === 'number' || typeof got === 'number') assert.equal(got, wanted);
    else assert.deepEqual({ ...got, ...wanted }, got);
  });
}

test('HTTP/1.1 without a Host is refused', () => {
  const bytes = Buffer.from('GET /a HTTP/1.1\r\n\r\n');
  const reader = new HeadReader(DEFAULT_LIMITS);
  const head = reader.take(bytes, 0, reader.read(bytes, 0, bytes.length));
  assert.throws(() => framingOf(head, 0), { status: 400 });
});
