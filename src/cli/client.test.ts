import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { after, test } from 'node:test';
import { Failure } from '../failure.ts';
import { call } from './client.ts';

interface Scene {
  readonly status: number;
  readonly body: string | Buffer;
}

/** A server that answers as it is told, and remembers what it was asked. */
async function actor(scene: Scene): Promise<{ address: string; asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request.resume());
    response.writeHead(scene.status, { Location: 'http://127.0.0.1:1/' }).end(scene.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { address: `http://127.0.0.1:${portOf(server.address())}`, asked };
}

function portOf(address: AddressInfo | string | null): number {
  assert.ok(typeof address === 'object' && address !== null);
  return address.port;
}

const ask = (address: string, token?: string) =>
  call({ address, cacert: undefined, token }, { method: 'PUT', path: 'sys/x', body: { a: 1 } });

test('members of an answer; none where there is no content', async () => {
  const { address, asked } = await actor({ status: 200, body: '{"b":2,"__proto__":3}' });
  assert.deepEqual(
    [...(await ask(address, 's.token'))],
    [
      ['b', 2],
      ['__proto__', 3],
    ],
  );
  const [request] = asked;
  assert.deepEqual(
    [request?.method, request?.url, request?.headers['x-service-token']],
    ['PUT', '/v1/sys/x', 's.token'],
  );
  assert.equal((await ask((await actor({ status: 204, body: '' })).address)).size, 0);
});

test('a refusal tells what the server said, and nothing a terminal would act on', async () => {
  for (const [status, body, expected] of [
    [400, '{"errors":["shares: too few"]}', /^the server at http:\S+ answered 400: shares: too few$/],
    [403, '{"errors":["a","b"]}', /answered 403: a: b$/],
    [503, '', /answered 503$/],
    [500, '<html>', /answered 500$/],
    [400, '{"errors":"x"}', /answered 400$/],
    [400, '{"errors":["\\u001b[2J\\n"]}', /answered 400: \\u001b\[2J\\u000a$/],
    [307, '', /answered 307$/],
    [200, '[]', /does not answer as a Keyhold server does$/],
    [200, '<html>', /does not answer as a Keyhold server does$/],
  ] as const) {
    await assert.rejects(
      ask((await actor({ status, body })).address),
      (error) => error instanceof Failure && error.exitCode === 1 && expected.test(error.message),
      body,
    );
  }
});

test('both sides of the largest answer', async () => {
  const sized = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;
  const limit = 1024 * 1024;
  assert.equal((await ask((await actor({ status: 200, body: sized(limit) })).address)).size, 1);
  await assert.rejects(
    ask((await actor({ status: 200, body: sized(limit + 1) })).address),
    /larger than 1048576 bytes$/,
  );
});

test('a server that is not there, or hangs up, is told in words', async () => {
  const silent = createTcpServer((socket) => socket.destroy());
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = `http://127.0.0.1:${portOf(silent.address())}`;
  await assert.rejects(ask(address), /cannot be reached: the connection was cut$/);
  silent.close();
  await once(silent, 'close');
  await assert.rejects(ask(address), /cannot be reached: nothing listens there$/);
});
