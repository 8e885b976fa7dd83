import assert from 'node:assert/strict';
import { request } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { after, test } from 'node:test';
import { type ConnectionOptions, connect } from 'node:tls';
import { CERT, KEY } from '../../test/http/certificate.ts';
import { answersIn, exchange, received } from '../../test/http/wire.ts';
import { listen } from './listener.ts';

const listener = await listen({
  host: '127.0.0.1',
  port: 0,
  tls: { cert: CERT, key: KEY },
  limits: { headMillis: 200, lingerMillis: 100 },
  handler: async ({ secure, peer, body }) => ({ status: 200, body: JSON.stringify([secure, peer, body.length]) }),
});
const port = Number(listener.address.split(':')[1]);
after(() => listener.stop(0));

/** What the server sends to a TLS client, or the code of the failed handshake. */
function overTls(text: string, options: ConnectionOptions = {}): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, ca: CERT, ...options }, () => {
      received(socket).then(resolve);
      socket.write(text);
    });
    socket.on('error', (error) => resolve('code' in error ? String(error.code) : error.message));
  });
}

test('requests over TLS are answered as secure ones', async () => {
  assert.equal(listener.secure, true);
  const head = 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n';
  const body = 'x'.repeat(100_000);
  const text = await overTls(`${head}\r\n${body}${head}Connection: close\r\n\r\n${body}`);
  assert.deepEqual(
    answersIn(text).map((answer) => answer.body),
    ['[true,"127.0.0.1",100000]', '[true,"127.0.0.1",100000]'],
  );
});

test('an ordinary client is served', async () => {
  const status = await new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, ca: CERT, method: 'PUT' }, (answer) =>
      resolve(answer.resume().statusCode),
    );
    sent.on('error', reject).end('body');
  });
  assert.equal(status, 200);
});

test('TLS 1.1, other protocols and plain text get nothing', async () => {
  assert.match(await overTls('', { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' }), /^E/);
  assert.match(await overTls('', { ALPNProtocols: ['h2'] }), /^E/);
  assert.deepEqual(await exchange(listener.address, 'GET / HTTP/1.1\r\nHost: h\r\n\r\n'), []);
});

test('who does not finish the handshake is cut', async () => {
  const before = performance.now();
  assert.deepEqual(await exchange(listener.address, Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00])), []);
  assert.ok(performance.now() - before < 3000);
  for (let i = 0; i < 50 && listener.connections() > 1; i++) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(listener.connections() <= 1, 'at most the kept connection of the ordinary client is open');
});

test('stopping does not wait for a client that gave up in the handshake', async () => {
  const tls = { cert: CERT, key: KEY };
  const own = await listen({ host: '127.0.0.1', port: 0, tls, handler: async () => ({ status: 204 }) });
  const [, ownPort] = own.address.split(':');
  const failure = await new Promise((resolve) => {
    request({ host: '127.0.0.1', port: ownPort, agent: false }).on('error', resolve).end();
  });
  assert.match(String(failure), /self-signed certificate/);
  const unfinished = connectPlain({ host: '127.0.0.1', port: Number(ownPort) });
  await new Promise((resolve) => unfinished.once('connect', resolve));
  unfinished.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00]));
  unfinished.on('error', () => {});
  const before = performance.now();
  await own.stop(20_000);
  assert.ok(performance.now() - before < 10_000);
});

test('a key that is none is refused when listening', async () => {
  const tls = { cert: CERT, key: 'none' };
  await assert.rejects(listen({ host: '127.0.0.1', port: 0, tls, handler: async () => ({ status: 204 }) }));
});
