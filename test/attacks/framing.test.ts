// Known attacks G5, G6, G8: bytes that two readers could take apart in two ways, addresses that a client makes up, and what
// a malformed request learns. Over raw sockets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answersIn, dial, exchange, received, type WireAnswer } from '../http/wire.ts';
import { ROOT, startTarget } from './support.ts';

const target = await startTarget({ headMillis: 300, bodyMillis: 300, idleMillis: 600, lingerMillis: 200 });

const AUTH = `Host: x\r\nX-Service-Token: ${ROOT}\r\n`;
const SMUGGLED = `DELETE /v1/secret/metadata/victim HTTP/1.1\r\n${AUTH}\r\n`;
const POST = `POST /v1/secret/data/outer HTTP/1.1\r\n${AUTH}`;
const BODY = '{"data":{}}';
const chunked = (body: string): string => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

test('G5 a request that can be read in two ways is refused, and what follows it is never looked at', async () => {
  const table: readonly (readonly [name: string, request: string])[] = [
    ['length and chunked', `${POST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['chunked and length', `${POST}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`],
    ['two lengths', `${POST}Content-Length: 11\r\nContent-Length: 0\r\n\r\n${BODY}`],
    ['two equal lengths', `${POST}Content-Length: 11\r\nContent-Length: 11\r\n\r\n${BODY}`],
    ['a list of lengths', `${POST}Content-Length: 11, 11\r\n\r\n${BODY}`],
    ['a signed length', `${POST}Content-Length: +11\r\n\r\n${BODY}`],
    ['a negative length', `${POST}Content-Length: -1\r\n\r\n`],
    ['a hexadecimal length', `${POST}Content-Length: 0xb\r\n\r\n${BODY}`],
    ['a length with an exponent', `${POST}Content-Length: 1e1\r\n\r\n${BODY}`],
    ['an empty length', `${POST}Content-Length:\r\n\r\n`],
    ['a length beyond integers', `${POST}Content-Length: 99999999999999999999\r\n\r\n`],
    ['an underscored length', `${POST}Content-Length: 1_1\r\n\r\n${BODY}`],
    ['a folded length', `${POST}Content-Length:\r\n 11\r\n\r\n${BODY}`],
    ['a blank before the colon', `${POST}Content-Length : 11\r\n\r\n${BODY}`],
    ['a blank before the name', `${POST} Content-Length: 11\r\n\r\n${BODY}`],
    ['folding', `${POST}X-A: b\r\n c\r\n\r\n`],
    ['folding by a tab', `${POST}X-A: b\r\n\tc\r\n\r\n`],
    ['a bare LF after a header', `${POST}X-A: b\nContent-Length: 0\r\n\r\n`],
    ['a bare LF after the request line', `POST /v1/secret/data/outer HTTP/1.1\n${AUTH}\r\n`],
    ['bare LFs only', 'GET /v1/sys/health HTTP/1.1\nHost: x\n\n'],
    ['a bare CR in a value', `${POST}X-A: b\rContent-Length: 0\r\n\r\n`],
    ['a bare CR ends the head', `${POST}\r\r\n`],
    ['a NUL in a value', `${POST}X-A: b\0c\r\n\r\n`],
    ['a NUL in a name', `${POST}X-\0A: b\r\n\r\n`],
    ['no colon', `${POST}X-A\r\n\r\n`],
    ['an empty name', `${POST}: b\r\n\r\n`],
    ['chunked twice', `${POST}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['chunked, chunked', `${POST}Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n`],
    ['gzip, chunked', `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ['chunked, identity', `${POST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
    ['identity', `${POST}Transfer-Encoding: identity\r\nContent-Length: 11\r\n\r\n${BODY}`],
    ['xchunked', `${POST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['chunked by a vertical tab', `${POST}Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n`],
    ['"chunked"', `${POST}Transfer-Encoding: "chunked"\r\n\r\n0\r\n\r\n`],
    ['chunked in HTTP/1.0', `${POST.replace('1.1', '1.0')}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['a chunk extension', `${POST}Transfer-Encoding: chunked\r\n\r\nb;a=b\r\n${BODY}\r\n0\r\n\r\n`],
    ['a chunk extension with LF', `${POST}Transfer-Encoding: chunked\r\n\r\nb;\n${BODY}\r\n0\r\n\r\n`],
    ['a signed chunk size', `${POST}Transfer-Encoding: chunked\r\n\r\n+b\r\n${BODY}\r\n0\r\n\r\n`],
    ['a chunk size with 0x', `${POST}Transfer-Encoding: chunked\r\n\r\n0xb\r\n${BODY}\r\n0\r\n\r\n`],
    ['a blank behind a chunk size', `${POST}Transfer-Encoding: chunked\r\n\r\nb \r\n${BODY}\r\n0\r\n\r\n`],
    ['an empty chunk size', `${POST}Transfer-Encoding: chunked\r\n\r\n\r\n${BODY}\r\n0\r\n\r\n`],
    [
      'a chunk size that overflows',
      `${POST}Transfer-Encoding: chunked\r\n\r\n1000000000000000b\r\n${BODY}\r\n0\r\n\r\n`,
    ],
    ['a chunk longer than its size', `${POST}Transfer-Encoding: chunked\r\n\r\na\r\n${BODY}\r\n0\r\n\r\n`],
    ['a bare LF behind a chunk', `${POST}Transfer-Encoding: chunked\r\n\r\nb\r\n${BODY}\n0\r\n\r\n`],
    ['a bare LF behind a chunk size', `${POST}Transfer-Encoding: chunked\r\n\r\nb\n${BODY}\r\n0\r\n\r\n`],
    ['trailers', `${POST}Transfer-Encoding: chunked\r\n\r\nb\r\n${BODY}\r\n0\r\nX-Service-Token: a\r\n\r\n`],
    ['two hosts', `POST /v1/secret/data/outer HTTP/1.1\r\n${AUTH}Host: y\r\n\r\n`],
    ['a host with a path', 'GET /v1/sys/health HTTP/1.1\r\nHost: x/../y\r\n\r\n'],
    ['a host with a user', 'GET /v1/sys/health HTTP/1.1\r\nHost: a@b\r\n\r\n'],
    ['no host', 'GET /v1/sys/health HTTP/1.1\r\n\r\n'],
    ['three blank lines first', `\r\n\r\n\r\n${POST}\r\n`],
    ['two spaces', `POST  /v1/secret/data/outer HTTP/1.1\r\n${AUTH}\r\n`],
    ['a tab in the request line', `POST\t/v1/secret/data/outer HTTP/1.1\r\n${AUTH}\r\n`],
    ['a blank at the end of the request line', `POST /v1/secret/data/outer HTTP/1.1 \r\n${AUTH}\r\n`],
    ['HTTP/0.9', 'GET /v1/sys/health\r\n'],
    ['HTTP/1.2', `POST /v1/secret/data/outer HTTP/1.2\r\n${AUTH}\r\n`],
    ['HTTP/11.1', `POST /v1/secret/data/outer HTTP/11.1\r\n${AUTH}\r\n`],
    ['HTTP/2 by preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['the PROXY protocol', `PROXY TCP4 10.0.0.1 10.0.0.2 1 2\r\n${POST}\r\n`],
    ['a TLS greeting', '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03'],
  ];
  await target.put('secret/data/victim', 'alive');
  for (const [name, request] of table) {
    const answers = await exchange(target.address, request + SMUGGLED);
    const refused = answers[0];
    assert.ok(refused !== undefined && [400, 413, 431, 505].includes(refused.status), `${name}: ${refused?.status}`);
    assert.equal(answers.length, 1, `${name}: nothing else is answered`);
    assert.match(refused.head, /^connection: close/im, name);
    assert.equal(await target.value('secret/data/victim'), 'alive', name);
  }
});

test('G5 sound requests in a row are each answered once, whole and cut anywhere', async () => {
  const row = [
    `${POST}Content-Length: ${BODY.length}\r\n\r\n${BODY}`,
    `${POST}Transfer-Encoding: chunked\r\n\r\n${chunked(BODY)}`,
    `GET /v1/secret/data/outer HTTP/1.1\r\n${AUTH}\r\n`,
    `${POST}Content-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}`,
    `GET /v1/sys/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  ].join('');
  await target.put('secret/data/victim', 'alive');
  for (const cut of [row.length, 1, 7, 100, 333]) {
    const pieces = Array.from({ length: Math.ceil(row.length / cut) }, (_, i) => row.slice(i * cut, (i + 1) * cut));
    const statuses = (await exchange(target.address, ...pieces)).map(({ status }) => status);
    assert.deepEqual(statuses, [200, 200, 200, 400, 200], `in pieces of ${cut}`);
  }
  assert.equal(await target.value('secret/data/victim'), 'alive');
});

test('G5 a head, a body and a connection that do not come to an end are ended', async () => {
  const slow = async (first: string, rest: string): Promise<string> => {
    const socket = await dial(target.address);
    const all = received(socket, 8000);
    socket.write(first);
    const drip = setInterval(() => socket.write(rest), 60);
    const text = await all;
    clearInterval(drip);
    return text;
  };
  const [head, body, idle] = await Promise.all([
    slow('GET /v1/sys/health HTTP/1.1\r\nHost: x\r\nX-A: ', 'a'),
    slow(`${POST}Content-Length: 1000000\r\n\r\n`, '{'),
    slow('', ''),
  ]);
  assert.deepEqual(
    answersIn(head).map(({ status }) => status),
    [408],
  );
  assert.deepEqual(
    answersIn(body).map(({ status }) => status),
    [408],
  );
  assert.equal(idle, '');
});

test('G5 a client that takes no answer is not waited for, and others are served meanwhile', async () => {
  await target.put('secret/data/long', 'v'.repeat(4 * 1024 * 1024));
  const socket = await dial(target.address);
  socket.pause();
  for (let i = 0; i < 20; i++) socket.write(`GET /v1/secret/data/long HTTP/1.1\r\n${AUTH}\r\n`);
  await target.expect(200, 'GET', 'secret/data/victim');
  socket.destroy();
  await target.expect(200, 'GET', 'sys/health', { token: undefined });
});

test('G6 no header makes up an address: what is taken from this machine alone stays so', async () => {
  const made = ['127.0.0.1', '203.0.113.9', '::1', '::ffff:127.0.0.1', 'fe80::1%eth0', '"[2001:db8::1]"'];
  for (const name of [
    'X-Forwarded-For',
    'X-Real-IP',
    'Forwarded',
    'True-Client-IP',
    'X-Client-IP',
    'Via',
    'X-Forwarded-Host',
  ]) {
    for (const address of made) {
      const headers = { [name]: name === 'Forwarded' ? `for=${address}` : address };
      const plain = await target.send('GET', 'secret/data/victim', { token: undefined });
      const forged = await target.send('GET', 'secret/data/victim', { token: undefined, headers });
      assert.deepEqual([forged.status, forged.text], [plain.status, plain.text]);
      await target.expect(200, 'GET', 'secret/data/victim', { headers });
      assert.ok(!(await target.send('GET', 'sys/health', { token: undefined, headers })).text.includes(address));
    }
  }
  assert.ok(!target.logged.some((line) => line.includes('203.0.113.9')));
});

/** What no stranger is to learn: of the code, of the machine, of the parts. */
const LEAK =
  /\bat (?:async|file|Object|new) |node:|\.[jt]s\b|\/work|\/tmp|\/home|127\.0\.0|localhost|lmdb|LMDB|MDB_|node\b|v8|TypeError|RangeError|stack|undefined|\[object/i;

test('G8 a malformed request learns nothing of the server, nor hears its own words', async () => {
  const canary = 'kanarienvogel';
  const requests = [
    'GET /v1/sys/health HTTP/1.1\r\n\r\n',
    `GET /v1/${canary} HTTP/1.0\r\n\r\n`,
    `GET /v1/../${canary} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET /${canary} HTTP/1.1\r\nHost: x\r\n\r\n`,
    'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET /ui/ HTTP/1.1\r\nHost: x\r\n\r\n',
    `${canary} / HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET /v1/${canary}\xff HTTP/1.1\r\nHost: x\r\n\r\n`,
    `GET /v1/a HTTP/1.1\r\nHost: ${canary}/\r\n\r\n`,
    `GET /v1/a HTTP/1.1\r\nHost: x\r\n${canary}\r\n\r\n`,
    `GET /v1/a HTTP/1.1\r\nHost: x\r\nExpect: ${canary}\r\n\r\n`,
    `GET /v1/a HTTP/${canary}\r\nHost: x\r\n\r\n`,
    `\x16\x03\x01${canary}`,
    ...[
      '{',
      `{"${canary}`,
      `{"data":${canary}}`,
      `"${canary}"`,
      `[${canary}]`,
      `{"data":"${canary}"}`,
      `{"data":{},"options":"${canary}"}`,
    ]
      .concat([`{"data":{},"options":{"cas":"${canary}"}}`, `\ufeff${canary}`, `${canary}\0`])
      .map((body) => `${POST}Content-Length: ${Buffer.byteLength(body, 'latin1')}\r\n\r\n${body}`),
  ];
  for (const request of requests) {
    const socket = await dial(target.address);
    const all = received(socket, 3000);
    socket.end(Buffer.from(request, 'latin1'));
    const text = await all;
    const answers: readonly WireAnswer[] = answersIn(text);
    const shown = JSON.stringify(request.slice(0, 80));
    for (const { status, body } of answers) {
      assert.ok((status >= 400 && status < 500) || status === 505, `${shown}: ${status}`);
      assert.ok(!body.includes(canary), `${shown} is repeated: ${body}`);
      assert.doesNotMatch(body, LEAK, shown);
    }
    assert.doesNotMatch(text, /^(server|x-powered-by|via|etag|location):/im, shown);
  }
});

test('G8 no header names the parts of the server, and the version is told by its own endpoints alone', async () => {
  for (const [method, path] of [
    ['GET', 'secret/data/victim'],
    ['GET', 'nowhere'],
    ['GET', 'sys/seal-status'],
    ['POST', 'secret/data/%00'],
  ] as const) {
    const { headers } = await target.send(method, path);
    for (const name of ['server', 'x-powered-by', 'via', 'x-runtime']) assert.equal(headers[name], undefined);
  }
});
