// Known attacks G1, G2: what one client sends costs the server no more than what was sent, and the others nothing.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { after, test } from 'node:test';
import { runServer, type ServerProcess } from '../../src/cli/testing.ts';
import { answersIn, dial, received } from '../http/wire.ts';
import { at, Client, ROOT, scratchFolder, startTarget } from './support.ts';

const MIB = 1024 * 1024;
const BODY = 32 * MIB;

const server: ServerProcess = await runServer(['--dev', '--data', scratchFolder()], {
  environment: { KEYHOLD_DEV_ROOT_TOKEN_ID: ROOT },
});
const target = new Client(new URL(server.url).host);
after(async () => {
  target.close();
  await server.stop();
});

const STATUS = `/proc/${server.workers()[0]}/status`;
/** Where the system does not tell it, memory is not asserted; all else is. */
const measured = existsSync(STATUS);

/** Bytes that the server's process holds now, and the most it has held. */
function memory(): { readonly now: number; readonly most: number } {
  const text = measured ? readFileSync(STATUS, 'utf8') : '';
  const bytes = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1] ?? 0) * 1024;
  return { now: bytes('VmRSS'), most: bytes('VmHWM') };
}

/** Sends a head and pieces until the server answers, and gives its status; the rest is not sent. */
async function upload(head: readonly string[], pieces: Iterable<Buffer>): Promise<number> {
  const socket = await dial(target.address);
  const all = received(socket, 20_000);
  socket.write(`${head.join('\r\n')}\r\nHost: x\r\nConnection: close\r\n\r\n`);
  let answered = false;
  socket.on('data', () => {
    answered = true;
  });
  for (const piece of pieces) {
    if (answered || socket.destroyed) break;
    if (!socket.write(piece)) await new Promise<void>((resolve) => void setTimeout(resolve, 1));
  }
  return answersIn(await all)[0]?.status ?? 0;
}

function* blanks(bytes: number): Generator<Buffer> {
  const piece = Buffer.alloc(MIB, ' ');
  for (let left = bytes; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(left, piece.length));
}

function* chunks(bytes: number): Generator<Buffer> {
  for (const piece of blanks(bytes)) {
    yield Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
  }
  yield Buffer.from('0\r\n\r\n');
}

test('G1 a body over the limit is refused before any token, by its declaration or as soon as it is over', async () => {
  await upload(['POST /v1/secret/data/a HTTP/1.1', `Content-Length: ${BODY}`], blanks(BODY));
  const before = memory();
  for (const token of ['', `X-Service-Token: ${ROOT}`]) {
    const line = ['POST /v1/secret/data/a HTTP/1.1', ...(token === '' ? [] : [token])];
    assert.equal(await upload([...line, `Content-Length: ${BODY + 1}`], []), 413);
    assert.equal(await upload([...line, 'Content-Length: 9007199254740991'], []), 413);
    assert.equal(await upload([...line, 'Transfer-Encoding: chunked'], chunks(BODY + 1)), 413);
    const passed = token === '' ? 403 : 400;
    assert.equal(await upload([...line, `Content-Length: ${BODY}`], blanks(BODY)), passed);
    assert.equal(await upload([...line, 'Transfer-Encoding: chunked'], chunks(BODY)), passed);
  }
  const growth = memory().most - before.most;
  assert.ok(growth < 2 * BODY, `the most held grew by ${Math.round(growth / MIB)} MiB`);
});

test('G1 deep and crowded JSON is refused, with memory for no more than its bytes', async () => {
  const before = memory();
  const deep = 100_000;
  const bodies: readonly (readonly [name: string, body: string])[] = [
    ['arrays', `{"data":{"a":${'['.repeat(deep)}${']'.repeat(deep)}}}`],
    ['objects', `{"data":${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}}`],
    ['open arrays', `{"data":${'['.repeat(8 * MIB)}`],
    ['members', `{"data":{${Array.from({ length: 1_000_000 }, (_, i) => `"${i}":1`).join()}}}`],
    ['the same member', `{${'"data":{},'.repeat(1_000_000)}"data":{}}`],
    ['elements', `{"data":{"a":[${'1,'.repeat(5_000_000)}1]}}`],
    ['a number', `{"data":{"a":${'9'.repeat(8 * MIB)}}}`],
    ['an exponent', `{"data":{"a":1e${'9'.repeat(8 * MIB)}}}`],
  ];
  for (const [name, body] of bodies) {
    const { status, text } = await target.send('POST', 'secret/data/json', { body });
    assert.equal(status, 400, name);
    assert.ok(text.length < 300, name);
    await target.expect(403, 'POST', 'secret/data/json', { body, token: undefined });
  }
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  for (const field of ['a=b&', '&', 'ttl=1h&']) {
    await target.expect(400, 'POST', 'auth/token/create', { body: field.repeat(1_000_000), headers });
    await target.expect(200, 'POST', 'auth/token/create', { body: field.repeat(10_000), headers });
  }
  const growth = memory().most - before.most;
  assert.ok(growth < 8 * BODY, `the most held grew by ${Math.round(growth / MIB)} MiB`);
  await target.expect(404, 'GET', 'secret/data/json');
});

test('G1 paths that take no token take no large body', async () => {
  for (const path of ['sys/init', 'sys/unseal']) {
    const body = (bytes: number): string => `{"key":"${'a'.repeat(bytes - 10)}"}`;
    const { status } = await target.send('PUT', path, { body: body(64 * 1024), token: undefined });
    assert.ok(status === 200 || status === 400, `${path}: ${status}`);
    await target.expect(413, 'PUT', path, { body: body(64 * 1024 + 1), token: undefined });
    await target.expect(413, 'PUT', path, { body: `{${'"a":1,'.repeat(400_000)}"a":1}`, token: undefined });
  }
});

test('G1 a thousand slow bodies cost little memory and hold nobody up', async () => {
  const before = memory();
  const sockets: Socket[] = [];
  try {
    for (let i = 0; i < 1000; i += 50) {
      sockets.push(...(await Promise.all(Array.from({ length: 50 }, () => dial(target.address)))));
    }
    const head = `POST /v1/secret/data/slow HTTP/1.1\r\nHost: x\r\nContent-Length: ${BODY}\r\n\r\n{`;
    for (const socket of sockets) socket.write(head);
    const latencies: number[] = [];
    for (let round = 0; round < 20; round++) {
      for (const socket of sockets) socket.write(' ');
      const start = performance.now();
      await Promise.all([
        target.expect(200, 'GET', 'sys/health', { token: undefined }),
        target.expect(200, 'POST', 'secret/data/quick', { body: { data: { round } } }),
      ]);
      latencies.push(performance.now() - start);
    }
    const median = latencies.sort((a, b) => a - b)[10] ?? Number.NaN;
    assert.ok(median < 1000, `the others waited ${Math.round(median)} ms`);
    const growth = memory().now - before.now;
    assert.ok(growth < 192 * MIB, `1,000 bodies of 21 bytes took ${Math.round(growth / MIB)} MiB`);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  await target.expect(200, 'GET', 'sys/health', { token: undefined });
});

test('G1 clients that take no answer hold no more than the server gives to all of them', async () => {
  const small = await startTarget({ bodiesInFlightBytes: 40 * MIB });
  const value = 'v'.repeat(16 * MIB);
  await small.put('secret/data/long', value);
  const head = `GET /v1/secret/data/long HTTP/1.1\r\nHost: x\r\nX-Service-Token: ${ROOT}\r\n\r\n`;
  const sockets: Socket[] = [];
  const status = async (): Promise<string> => {
    const socket = await dial(small.address);
    sockets.push(socket);
    socket.write(head);
    const [piece] = await once(socket, 'data');
    socket.pause();
    return String(piece).slice(9, 12);
  };
  const statuses: string[] = [];
  for (let i = 0; i < 5; i++) statuses.push(await status());
  assert.deepEqual(statuses, ['200', '200', '503', '503', '503']);
  await small.put('secret/data/short', 'others go on');
  assert.equal(await small.value('secret/data/short'), 'others go on');
  for (const socket of sockets) socket.destroy();
  for (let tries = 0; tries < 50 && (await small.send('GET', 'secret/data/long')).status !== 200; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.equal(await small.value('secret/data/long'), value);
});

test('G2 a value at the limit is kept, one byte more is refused, and the server goes on', async () => {
  const frame = Buffer.byteLength('{"data":{"v":""}}');
  for (const [bytes, status] of [
    [BODY - 1, 200],
    [BODY, 200],
    [BODY + 1, 413],
  ] as const) {
    const value = 'v'.repeat(bytes - frame);
    await target.expect(status, 'POST', 'secret/data/large', { body: `{"data":{"v":"${value}"}}` });
    const kept = at((await target.send('GET', 'secret/data/large')).json, 'data', 'data', 'v');
    assert.ok(typeof kept === 'string' && kept.length === Math.min(bytes, BODY) - frame);
  }
  await target.expect(204, 'DELETE', 'secret/metadata/large');
  const grow = { 'Content-Type': 'application/merge-patch+json' };
  const half = { data: { a: 'a'.repeat(BODY / 2) } };
  await target.expect(200, 'POST', 'secret/data/merged', { body: half });
  const other = { data: { b: 'b'.repeat(BODY / 2) } };
  await target.expect(413, 'PATCH', 'secret/data/merged', { body: other, headers: grow });
  await target.expect(204, 'DELETE', 'secret/metadata/merged');
});

test('G2 every limit of a name or a number holds on both sides', async () => {
  const metadata = (custom_metadata: object) => ({ body: { custom_metadata } });
  const named = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']));
  const put = async (status: number, path: string, sent: object): Promise<void> => {
    await target.expect(status, 'POST', path, sent);
  };
  const secret = { body: { data: {} } };
  await put(200, `secret/data/${'s'.repeat(512)}`, secret);
  await put(400, `secret/data/${'s'.repeat(513)}`, secret);
  await put(200, `secret/data/${'%C3%A9'.repeat(256)}`, secret);
  await put(400, `secret/data/${'%C3%A9'.repeat(257)}`, secret);
  const room = 1024 - 'secret/data/'.length;
  await put(200, `secret/data/${'p/'.repeat(room / 2 - 1)}pp`, secret);
  await put(400, `secret/data/${'p/'.repeat(room / 2 - 1)}ppp`, secret);
  await put(204, 'secret/metadata/m', metadata(named(64)));
  await put(400, 'secret/metadata/m', metadata(named(65)));
  await put(204, 'secret/metadata/m', metadata({ ['k'.repeat(128)]: 'v'.repeat(512) }));
  await put(400, 'secret/metadata/m', metadata({ ['k'.repeat(129)]: 'v' }));
  await put(400, 'secret/metadata/m', metadata({ k: 'v'.repeat(513) }));
  const policy = (bytes: number) => ({ body: { policy: `path "a" {}${' '.repeat(bytes - 'path "a" {}'.length)}` } });
  await put(204, 'sys/policies/acl/size', policy(MIB));
  await put(400, 'sys/policies/acl/size', policy(MIB + 1));
  await put(204, `sys/policies/acl/${'n'.repeat(256)}`, policy(100));
  await put(400, `sys/policies/acl/${'n'.repeat(257)}`, policy(100));
  await put(200, 'auth/token/create', { body: { display_name: 'd'.repeat(512) } });
  await put(400, 'auth/token/create', { body: { display_name: 'd'.repeat(513) } });
  await put(200, 'auth/token/create', { body: { meta: { k: 'v'.repeat(64 * 1024 - 1) } } });
  await put(400, 'auth/token/create', { body: { meta: { k: 'v'.repeat(64 * 1024) } } });
  const policies = (count: number) => ({ body: { policies: Array.from({ length: count }, (_, i) => `p${i}`) } });
  await put(200, 'auth/token/create', policies(256));
  await put(400, 'auth/token/create', policies(257));
  const paths = (count: number) => ({ body: { paths: Array.from({ length: count }, (_, i) => `p${i}`) } });
  await put(200, 'sys/capabilities-self', paths(256));
  await put(400, 'sys/capabilities-self', paths(257));
  let token = ROOT;
  for (let generation = 1; generation < 40; generation++) {
    const { status, json } = await target.send('POST', 'auth/token/create', { token, body: {} });
    if (status !== 200) {
      assert.deepEqual([status, generation], [400, 32]);
      break;
    }
    token = String(at(json, 'auth', 'client_token'));
  }
});

test('G2 names that come once and never again leave nothing behind', async () => {
  const lap = async (from: number, count: number): Promise<void> => {
    const one = async (i: number): Promise<void> => {
      const name = `unique-${i}-${'x'.repeat(200)}`;
      await target.expect(403, 'GET', `secret/data/${name}`, { token: name });
      await target.expect(404, 'GET', `secret/data/${name}/${i}`);
      await target.expect(404, 'LIST', `secret/metadata/${name}`);
      await target.expect([200, 404], 'LIST', `secret/metadata/?after=zz${name}`);
      await target.expect(404, 'GET', `${name}/${i}`);
      await target.expect(403, 'POST', 'auth/token/lookup', { body: { token: name } });
      await target.expect(200, 'POST', 'sys/capabilities-self', { body: { paths: [name] } });
    };
    for (let i = from; i < from + count; i += 20) await Promise.all(Array.from({ length: 20 }, (_, j) => one(i + j)));
  };
  await lap(0, 1000);
  const before = memory();
  await lap(1000, 3000);
  const growth = memory().now - before.now;
  // 21,000 names of 200 bytes, if each were kept but twice, with its usual bookkeeping, would show.
  assert.ok(growth < 48 * MIB, `memory grew by ${Math.round(growth / MIB)} MiB`);
});
