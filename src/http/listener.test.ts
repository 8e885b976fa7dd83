import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { answersIn, dial, exchange, received } from '../../test/http/wire.ts';
import { type Handler, type HttpRequest, type Limits, type Listener, listen, plainAddress } from './listener.ts';

const open: Listener[] = [];
after(() => Promise.all(open.map((listener) => listener.stop(0))));

async function serve(handler: Handler, limits: Partial<Limits> = {}): Promise<Listener> {
  const listener = await listen({ host: '127.0.0.1', port: 0, handler, limits: { lingerMillis: 100, ...limits } });
  open.push(listener);
  return listener;
}

const tell = async (r: HttpRequest) => ({ status: 200, body: JSON.stringify([r.method, r.target, r.body.length]) });
const line = (method: string, target: string): string => `${method} ${target} HTTP/1.1\r\nHost: h\r\n`;
const last = (method: string, target: string): string => `${line(method, target)}Connection: close\r\n\r\n`;
const statuses = (answers: readonly { status: number }[]): number[] => answers.map((answer) => answer.status);
const lull = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis));

test('an answer has the standard headers, a handler may replace one of them', async () => {
  const { address } = await serve(async ({ target }) =>
    target === '/html'
      ? { status: 200, contentType: 'text/html', headers: [['content-security-policy', 'sandbox']], body: '<p>é' }
      : { status: 404, body: Buffer.from('{}') },
  );
  const [plain, html] = await exchange(address, `${line('GET', '/')}\r\n${last('GET', '/html')}`);
  assert.match(
    plain?.head ?? '',
    /^HTTP\/1\.1 404 Not Found\r\nContent-Type: application\/json\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nContent-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\nContent-Length: 2\r\n\r\n$/,
  );
  assert.equal(plain?.body, '{}');
  assert.match(
    html?.head ?? '',
    /Content-Type: text\/html\r\n.*content-security-policy: sandbox\r\n.*Content-Length: 5\r\n/s,
  );
  assert.doesNotMatch(html?.head ?? '', /default-src|Server/);
  assert.equal(Buffer.from(html?.body ?? '', 'latin1').toString(), '<p>é');
});

test('pipelined requests are answered in order, one at a time, bodies and unknown methods among them', async () => {
  let atWork = 0;
  const { address } = await serve(
    async (request) => {
      assert.equal(++atWork, 1);
      if (request.target === '/slow') await lull(20);
      atWork--;
      return tell(request);
    },
    { pipelined: 2 },
  );
  const text =
    `${line('GET', '/slow')}\r\n${line('LIST', '/b')}Content-Length: 3\r\n\r\nabc` +
    `${line('POST', '/c')}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n${line('PURGE', '/d')}\r\n${last('SCAN', '/e')}${line('GET', '/never')}\r\n`;
  const wanted = ['["GET","/slow",0]', '["LIST","/b",3]', '["POST","/c",5]', '["PURGE","/d",0]', '["SCAN","/e",0]'];
  assert.deepEqual(
    (await exchange(address, text)).map((a) => a.body),
    wanted,
  );
  assert.deepEqual(
    (await exchange(address, ...text.split(''))).map((a) => a.body),
    wanted,
  );
});

test('a refusal ends the connection and nothing behind it is answered', async () => {
  const seen: string[] = [];
  const { address } = await serve(async (request) => {
    seen.push(request.target);
    return tell(request);
  });
  for (const [bad, status] of [
    [`${line('POST', '/x')}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    [`${line('POST', '/x')}Transfer-Encoding: chunked\r\n\r\n1;e=1\r\na\r\n0\r\n\r\n`, 400],
    [`${line('POST', '/x')}Transfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\n\r\n`, 400],
    [`${line('GET', '/x')}X: ${'x'.repeat(9000)}\r\n\r\n`, 431],
    [`${line('GET', `/${'x'.repeat(9000)}`)}\r\n`, 414],
    [`${line('POST', '/x')}Content-Length: 33554433\r\nExpect: 100-continue\r\n\r\n`, 413],
    [`${line('POST', '/x')}Content-Length: 1\r\nExpect: a-miracle\r\n\r\na`, 417],
    ['GET /x HTTP/3.0\r\n\r\n', 505],
  ] as const) {
    seen.length = 0;
    const answers = await exchange(address, `${line('GET', '/first')}\r\n${bad}${last('GET', '/second')}`);
    assert.deepEqual(statuses(answers), [200, status]);
    assert.deepEqual(seen, ['/first']);
    const error = answers[1];
    assert.match(error?.head ?? '', /Connection: close\r\n/);
    const { errors } = JSON.parse(error?.body ?? '');
    assert.ok(errors.length === 1 && !errors[0].includes('xxx'));
  }
});

test('a body of exactly the limit passes, also chunked; one byte more is 413', async () => {
  const limit = 300_000;
  const { address } = await serve(tell, { bodyBytes: limit });
  for (const [size, status] of [
    [limit, 200],
    [limit + 1, 413],
  ] as const) {
    const body = 'x'.repeat(size);
    const head = `${line('POST', '/')}Connection: close\r\n`;
    assert.deepEqual(statuses(await exchange(address, `${head}Content-Length: ${size}\r\n\r\n${body}`)), [status]);
    const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    assert.deepEqual(statuses(await exchange(address, chunked)), [status]);
  }
});

test('bodies over the common budget are 503 with Retry-After, and the budget comes back', async () => {
  const { address } = await serve(tell, { bodiesInFlightBytes: 1000 });
  const post = `${line('POST', '/')}Connection: close\r\nContent-Length: 300\r\n\r\n${'x'.repeat(300)}`;
  for (const held of [
    `${line('POST', '/')}Content-Length: 900\r\n\r\n${'x'.repeat(800)}`,
    `${line('POST', '/')}X: ${'x'.repeat(800)}`,
  ]) {
    const holder = await dial(address);
    holder.write(held);
    await lull(50);
    const [refused] = await exchange(address, post);
    assert.equal(refused?.status, 503);
    assert.match(refused?.head ?? '', /Retry-After: 1\r\n/);
    holder.destroy();
    await lull(50);
    for (let i = 0; i < 5; i++) assert.deepEqual(statuses(await exchange(address, post)), [200]);
  }
});

test('Expect: 100-continue is answered before the body, and only when the body is still to come', async () => {
  const { address } = await serve(tell);
  const head = `${line('POST', '/')}Connection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`;
  assert.deepEqual(statuses(await exchange(address, `${head}ab`)), [200]);
  const socket = await dial(address);
  const all = received(socket);
  socket.write(head);
  await once(socket, 'data');
  socket.write('ab');
  assert.deepEqual(statuses(answersIn(await all)), [100, 200]);
});

test('HEAD has the length but no body, 204 has neither', async () => {
  const { address } = await serve(async ({ method }) =>
    method === 'HEAD' ? { status: 200, body: 'four' } : { status: 204 },
  );
  const socket = await dial(address);
  const all = received(socket);
  socket.write(`${line('HEAD', '/')}\r\n${last('GET', '/')}`);
  const text = await all;
  assert.match(text, /Content-Length: 4\r\n\r\nHTTP\/1\.1 204 No Content\r\n/);
  assert.doesNotMatch(text.slice(text.indexOf('HTTP/1.1 204')), /Content-(Length|Type):|\r\n\r\n./s);
});

test('a refusal after a HEAD still has its body', async () => {
  const { address } = await serve(async () => ({ status: 204 }));
  assert.deepEqual((await exchange(address, `${line('HEAD', '/')}\r\nG(T`)).at(-1)?.body.slice(0, 10), '{"errors":');
});

test('HTTP/1.0 is closed unless it asks to be kept, and gets no chunks', async () => {
  const { address } = await serve(async ({ target }) => ({
    status: 200,
    body: target === '/i' ? parts(['a', '', 'b']) : 'x',
  }));
  const kept = await exchange(
    address,
    'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\n\r\nGET / HTTP/1.0\r\n\r\n',
  );
  assert.deepEqual(
    kept.map((a) => /Connection: [\w-]+/.exec(a.head)?.[0]),
    ['Connection: keep-alive', 'Connection: close'],
  );
  const socket = await dial(address);
  const all = received(socket);
  socket.write('GET /i HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
  assert.match(await all, /Connection: close\r\n\r\nab$/);
});

async function* parts(texts: readonly string[], failure?: Error): AsyncGenerator<string> {
  for (const text of texts) yield text;
  if (failure !== undefined) throw failure;
}

test('an iterable is sent in chunks; one that throws is cut before the last chunk', async () => {
  const { address } = await serve(async ({ target }) => ({
    status: 200,
    body: parts(['é', '', 'x'.repeat(17)], target === '/bad' ? new Error('broken') : undefined),
  }));
  const good = await exchange(address, last('GET', '/'));
  assert.equal(good[0]?.body, `2\r\n\xc3\xa9\r\n11\r\n${'x'.repeat(17)}\r\n0\r\n\r\n`);
  const bad = await exchange(address, `${line('GET', '/bad')}\r\n${last('GET', '/')}`);
  assert.equal(bad.length, 1);
  assert.doesNotMatch(bad[0]?.body ?? '', /0\r\n\r\n$/);
});

test('a handler that throws, rejects, or answers what cannot be sent is a plain 500', async () => {
  const answers: Record<string, Handler> = {
    '/throw': () => {
      throw new Error('inner detail');
    },
    '/reject': () => Promise.reject(new Error('inner detail')),
    '/status': async () => ({ status: 99 }),
    '/split': async () => ({ status: 200, headers: [['Location', '/a\r\nSet-Cookie: b']] }),
    '/frame': async () => ({ status: 200, headers: [['Content-Length', '0']], body: 'x' }),
    '/type': async () => ({ status: 200, contentType: 'a\r\nB: c' }),
  };
  const { address } = await serve((request) => answers[request.target]?.(request) ?? tell(request));
  for (const target of Object.keys(answers)) {
    const [answer, ...more] = await exchange(address, `${line('GET', target)}\r\n${last('GET', '/')}`);
    assert.equal(answer?.status, 500, target);
    assert.equal(answer?.body, '{"errors":["internal error"]}\n');
    assert.deepEqual(more, []);
  }
});

test('who sends slowly gets 408: a head, a body without progress, a body below the rate', async () => {
  const { address } = await serve(tell, { headMillis: 80, bodyMillis: 80, bodyBytesPerSecond: 1000 });
  assert.deepEqual(statuses(await exchange(address, 'GET / HT')), [408]);
  const post = `${line('POST', '/')}Content-Length: 900\r\n\r\n`;
  assert.deepEqual(statuses(await exchange(address, `${post}ab`)), [408]);
  const socket = await dial(address);
  const all = received(socket);
  socket.write(post);
  const drip = setInterval(() => socket.write('x'), 10);
  assert.deepEqual(statuses(answersIn(await all)), [408]);
  clearInterval(drip);
});

test('an idle connection is closed without a word', async () => {
  const { address } = await serve(tell, { idleMillis: 60 });
  const socket = await dial(address);
  assert.equal(await received(socket), '');
  assert.equal((await exchange(address, `${line('GET', '/')}\r\n`)).length, 1);
});

test('who does not read is cut, who reads slowly is not', async () => {
  const size = 24 * 1024 * 1024;
  const listener = await serve(async () => ({ status: 200, body: Buffer.alloc(size, 'x') }), { writeMillis: 200 });
  const { address } = listener;
  const deaf = await dial(address);
  deaf.pause();
  deaf.write(`${line('GET', '/')}\r\n`);
  await lull(60);
  assert.equal(listener.connections(), 1);
  for (let i = 0; i < 40 && listener.connections() > 0; i++) await lull(25);
  assert.equal(listener.connections(), 0);
  deaf.destroy();
  const slow = await dial(address);
  let got = 0;
  slow.on('data', (piece: Buffer) => {
    got += piece.length;
    if (got > size / 4 && got < size / 2) {
      slow.pause();
      setTimeout(() => slow.resume(), 2);
    }
  });
  slow.write(last('GET', '/'));
  await once(slow, 'close');
  assert.ok(got > size);
});

test('pipelining without reading stops the reading', async () => {
  let handled = 0;
  const { address } = await serve(async () => {
    handled++;
    return { status: 200, body: 'x'.repeat(100_000) };
  });
  const socket = await dial(address);
  socket.pause();
  for (let i = 0; i < 2000; i++) socket.write(`${line('GET', '/')}\r\n`);
  await lull(200);
  assert.ok(handled < 400, `${handled} answers were made for a client that reads none`);
  socket.destroy();
});

test('a connection over the limit gets 503', async () => {
  const listener = await serve(tell, { connections: 2 });
  const first = await dial(listener.address);
  const second = await dial(listener.address);
  await lull(20);
  const third = await dial(listener.address);
  assert.deepEqual(statuses(answersIn(await received(third))), [503]);
  assert.ok(listener.connections() <= 3);
  first.destroy();
  second.destroy();
  await lull(50);
  assert.deepEqual(statuses(await exchange(listener.address, last('GET', '/'))), [200]);
});

test('a client that ends its side is still answered; half a request is 400', async () => {
  const { address } = await serve(async (request) => {
    await lull(10);
    return tell(request);
  });
  for (const [text, wanted] of [
    [`${line('GET', '/')}\r\n${line('GET', '/')}\r\n`, [200, 200]],
    [`${line('GET', '/')}\r\nGET /`, [200, 400]],
    ['', []],
  ] as const) {
    const socket = await dial(address);
    const all = received(socket);
    socket.end(text);
    assert.deepEqual(statuses(answersIn(await all)), wanted);
  }
});

test('stop answers what was received, closes what is idle, and cuts after the grace', async () => {
  const listener = await serve(async (request) => {
    await lull(request.target === '/stuck' ? 60_000 : 60);
    return tell(request);
  });
  const idle = received(await dial(listener.address));
  const busy = await dial(listener.address);
  const half = await dial(listener.address);
  const answers = [received(busy), received(half)];
  busy.write(`${line('GET', '/a')}\r\n${line('GET', '/b')}\r\n`);
  half.write('GET /c HT');
  await lull(30);
  const stopped = listener.stop(2000);
  assert.equal(listener.stop(1), stopped);
  half.write('TP/1.1\r\nHost: h\r\n\r\n');
  assert.equal(await idle, '');
  const [both, one] = (await Promise.all(answers)).map(answersIn);
  assert.deepEqual(
    both?.map((a) => [a.status, a.head.includes('Connection: close')]),
    [
      [200, false],
      [200, true],
    ],
  );
  assert.deepEqual(
    one?.map((a) => [a.status, a.head.includes('Connection: close')]),
    [[200, true]],
  );
  await stopped;
  assert.equal(listener.connections(), 0);
  await assert.rejects(dial(listener.address));

  const other = await serve((request) => (request.target === '/stuck' ? new Promise(() => {}) : tell(request)));
  const socket = await dial(other.address);
  const stuck = received(socket);
  socket.write(last('GET', '/stuck'));
  await lull(30);
  await other.stop(50);
  assert.equal(await stuck, '');
});

test('addresses are bound as told, and shown plainly', async () => {
  const listener = await serve(tell);
  const port = Number(listener.address.split(':')[1]);
  await assert.rejects(listen({ host: '127.0.0.1', port, handler: tell }), { code: 'EADDRINUSE' });
  for (const [address, plain] of [
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['::FFFF:10.0.0.1', '10.0.0.1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::ffff:1', '::ffff:1'],
    ['10.0.0.1', '10.0.0.1'],
  ] as const) {
    assert.equal(plainAddress(address), plain);
  }
});
