import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { CERT, KEY } from '../../test/http/certificate.ts';
import { answersIn, dial, received } from '../../test/http/wire.ts';
import { bind } from './bind.ts';
import { type Handler, type ReceiveOptions, type Receiver, receive } from './listener.ts';

/** Connections that something else accepted, as the supervisor of a server does: unread, half-open allowed. */
class Entrance {
  address = '';
  readonly #server: Server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true });
  readonly #accepted: Socket[] = [];

  constructor() {
    this.#server.on('connection', (socket: Socket) => this.#accepted.push(socket));
  }

  async open(): Promise<this> {
    this.address = await bind(this.#server, '127.0.0.1', 0);
    return this;
  }

  async next(): Promise<Socket> {
    const waiting = this.#accepted.shift();
    if (waiting !== undefined) return waiting;
    await once(this.#server, 'connection');
    return this.next();
  }

  close(): void {
    this.#server.close();
  }
}

const entrance = await new Entrance().open();
const receivers: Receiver[] = [];
after(async () => {
  entrance.close();
  await Promise.all(receivers.map((receiver) => receiver.stop(0)));
});

const tell: Handler = async ({ target, peer, secure }) => ({
  status: 200,
  body: JSON.stringify([target, peer, secure]),
});

function receiver(options: Partial<ReceiveOptions> = {}): Receiver {
  const made = receive({ handler: tell, ...options, limits: { lingerMillis: 100, ...options.limits } });
  receivers.push(made);
  return made;
}

const get = (target: string, more = ''): string => `GET ${target} HTTP/1.1\r\nHost: h\r\n${more}\r\n`;
const CLOSE = 'Connection: close\r\n';

/** As in the process that it is handed to: it reads from the moment it is there. */
function take(by: Receiver, socket: Socket): void {
  socket.allowHalfOpen = false;
  by.take(socket);
  socket.resume();
}

test('requests that were sent before the connection was handed over are all answered, in order', async () => {
  const client = await dial(entrance.address);
  client.write(get('/a') + get('/b'));
  client.write(get('/c', CLOSE));
  const socket = await entrance.next();
  const all = received(client);
  await new Promise((resolve) => setImmediate(resolve));
  take(receiver(), socket);
  assert.deepEqual(
    answersIn(await all).map(({ body }) => body),
    ['["/a","127.0.0.1",false]', '["/b","127.0.0.1",false]', '["/c","127.0.0.1",false]'],
  );
});

test('a client that has ended its side before the connection is handed over is answered', async () => {
  const client = await dial(entrance.address);
  client.end(get('/half'));
  const all = received(client);
  take(receiver(), await entrance.next());
  assert.deepEqual(
    answersIn(await all).map(({ status }) => status),
    [200],
  );
});

test('over TLS too, whose handshake has begun before', async () => {
  const secure = receiver({ tls: { cert: CERT, key: KEY } });
  const [host = '', port] = entrance.address.split(':');
  const client = connectTls({ host, port: Number(port), ca: CERT }, () => client.write(get('/s') + get('/t', CLOSE)));
  const socket = await entrance.next();
  await new Promise((resolve) => setImmediate(resolve));
  secure.take(socket);
  assert.deepEqual(
    answersIn(await received(client)).map(({ body }) => body),
    ['["/s","127.0.0.1",true]', '["/t","127.0.0.1",true]'],
  );
});

test('connections are counted, limited, and a client that is gone already is none', async () => {
  const own = receiver({ limits: { connections: 2 } });
  const clients = await Promise.all([1, 2, 3].map(() => dial(entrance.address)));
  for (const _ of clients) take(own, await entrance.next());
  const [first = assert.fail(), , third = assert.fail()] = clients;
  assert.deepEqual(
    answersIn(await received(third)).map(({ status }) => status),
    [503],
  );
  const gone = await dial(entrance.address);
  const socket = await entrance.next();
  gone.resetAndDestroy();
  await once(gone, 'close');
  await new Promise((resolve) => setTimeout(resolve, 20));
  take(own, socket);
  first.destroy();
  for (let i = 0; i < 100 && own.connections() > 1; i++) await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(own.connections(), 1);
  for (const client of clients) client.destroy();
});

test('a stop that leaves idle connections open answers what is asked meanwhile, and closes those that ask nothing', async () => {
  const own = receiver();
  const clients = await Promise.all([1, 2].map(() => dial(entrance.address)));
  for (const _ of clients) take(own, await entrance.next());
  const [asks = assert.fail(), silent = assert.fail()] = clients;
  const [answered, nothing] = [received(asks), received(silent)];
  const stop = own.stop(30_000, 1_000);
  asks.write(get('/late') + get('/behind'));
  const answers = answersIn(await answered);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  assert.match(answers[1]?.head ?? '', /Connection: close/);
  assert.equal(await nothing, '');
  await stop;
});

test('a connection that is handed over after that is ended, unless a request has arrived', async () => {
  const own = receiver();
  const client = await dial(entrance.address);
  const socket = await entrance.next();
  const stop = own.stop(5_000);
  const all = received(client);
  take(own, socket);
  assert.equal(await all, '');
  await stop;
});

test('the wait for idle connections is never longer than the grace', async () => {
  const own = receiver();
  const client = await dial(entrance.address);
  take(own, await entrance.next());
  const closed = received(client);
  await own.stop(50, 60_000);
  assert.equal(await closed, '');
});
