import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { lmdbStore } from '../storage/lmdb.ts';
import { api, MAIN, run, runServer, scratchFolder } from './testing.ts';

const NOBODY = 65_534;

describe('bad days at the start: one sentence, exit code 1, nothing lost', () => {
  test('a second server on the same folder', async () => {
    const data = scratchFolder();
    const first = await runServer(['--dev', '--dev-root-token-id', 'root', '--data', data]);
    const second = await run(['server', '--dev', '--listen', '127.0.0.1:0', '--data', data]);
    assert.equal(second.code, 1);
    assert.equal(
      second.err,
      `keyhold: the data folder ${data} is in use by another server (process ${first.pid}); stop it, or choose another --data\n`,
    );
    assert.equal((await api(first.url, 'root', 'POST', 'secret/data/x', { data: {} })).status, 200);
    assert.equal((await first.stop()).code, 0);
  });

  test('a port in use; the folder is free again afterwards', async () => {
    const first = await runServer(['--data', scratchFolder()]);
    const data = scratchFolder();
    const listen = new URL(first.url).host;
    const second = await run(['server', '--data', data, '--listen', listen]);
    assert.equal(second.code, 1);
    assert.equal(second.err, `keyhold: cannot listen at ${listen}: the address is in use: another server runs there\n`);
    assert.equal((await (await runServer(['--data', data])).stop()).code, 0);
    await first.stop();
  });

  test('an address of another machine', async () => {
    const { code, err } = await run([
      'server',
      '--data',
      scratchFolder(),
      '--insecure-listen',
      '--listen',
      '192.0.2.1:1',
    ]);
    assert.equal(code, 1);
    assert.match(err, /^keyhold: cannot listen at 192\.0\.2\.1:1: the address is not one of this machine\n$/);
  });

  test('a folder that cannot be written', async (t) => {
    const folder = scratchFolder();
    const data = join(folder, 'data');
    mkdirSync(data, { mode: 0o500 });
    const root = process.geteuid?.() === 0;
    if (root) {
      chmodSync(folder, 0o755);
      chownSync(data, NOBODY, NOBODY);
    }
    const options = root ? { user: NOBODY } : {};
    const { code, err } = await run(['server', '--listen', '127.0.0.1:0', '--data', data], options);
    if (err.includes('Cannot find module')) return t.skip('another user cannot read the program');
    assert.equal(code, 1, err);
    assert.equal(err, `keyhold: the data folder ${data} cannot be used: permission denied\n`);
  });

  test('data of another version, of another program, or damaged', async () => {
    for (const [key, value, expected] of [
      [
        'core/format',
        'keyhold 999',
        /^keyhold: the store in .* cannot be opened: data of another version: found "keyhold 999"/,
      ],
      [
        'something',
        'else',
        /^keyhold: the store in .* cannot be opened: the store holds data that is not of this server/,
      ],
    ] as const) {
      const data = scratchFolder();
      const store = lmdbStore(join(data, 'store'));
      await store.transact((tx) => tx.put(key, Buffer.from(value)));
      await store.close();
      const { code, err } = await run(['server', '--listen', '127.0.0.1:0', '--data', data]);
      assert.equal(code, 1);
      assert.match(err, expected);
      const again = lmdbStore(join(data, 'store'));
      assert.equal((await again.transact((tx) => tx.get(key)))?.toString(), value);
      await again.close();
    }
    const data = scratchFolder();
    mkdirSync(join(data, 'store'));
    const garbage = Buffer.alloc(65_536, 'garbage ');
    writeFileSync(join(data, 'store', 'data.mdb'), garbage);
    const { code, err } = await run(['server', '--listen', '127.0.0.1:0', '--data', data]);
    assert.equal(code, 1, err);
    assert.match(
      err,
      /^keyhold: the store's file .*data\.mdb is not a store, or is damaged; restore it from a backup\n$/,
    );
    assert.deepEqual(readFileSync(join(data, 'store', 'data.mdb')), garbage);
  });

  test('a disk that is full, or nearly', async (t) => {
    const disk = scratchFolder();
    const command = ['server', '--dev', '--listen', '127.0.0.1:0', '--data', join(disk, 'data')];
    for (const free of [0, 8, 36, 104, 900]) {
      const script = `mount -t tmpfs -o size=4096k tmpfs "$0" && dd if=/dev/zero of="$0/fill" bs=1k count=${4096 - free} 2>/dev/null && exec "$@"`;
      const { status, stderr } = spawnSync(
        'unshare',
        ['-m', 'sh', '-c', script, disk, process.execPath, MAIN, ...command],
        { encoding: 'utf8', timeout: 20_000 },
      );
      if (/unshare|mount|ENOENT/.test(stderr ?? 'ENOENT')) return t.skip('only root may mount a small disk');
      assert.equal(status, 1, `${free} KiB free: ${stderr}`);
      assert.equal(stderr, `keyhold: the data folder ${join(disk, 'data')} cannot be used: the disk is full\n`);
    }
  });

  test('settings that are wrong end with exit code 2', async () => {
    for (const [args, expected] of [
      [['server', '--workers', '0'], /^keyhold: --workers: must be a whole number from 1 to 64, or auto/],
      [['server', '--listen', '0.0.0.0:1'], /^keyhold: listen: plain HTTP beyond this machine/],
      [['server', '--lisen'], /^keyhold: --lisen: there is no such flag/],
      [['serve'], /^keyhold: there is no such command/],
      [['operator', 'destroy'], /^keyhold: there is no such command/],
    ] as const) {
      const { code, err, out } = await run(args);
      assert.deepEqual([code, out], [2, '']);
      assert.match(err, expected);
    }
  });
});

/** A request whose body stops half-way; `finish` sends the rest and resolves with the answer. */
function halfRequest(url: string): { sent: Promise<void>; finish(): Promise<string> } {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const head =
    'POST /v1/secret/data/slow HTTP/1.1\r\nHost: x\r\nX-Service-Token: root\r\nContent-Length: 16\r\n\r\n{"data":';
  const sent = new Promise<void>((resolve) => socket.write(head, () => resolve()));
  let answer = '';
  socket.on('data', (bytes: Buffer) => {
    answer += bytes.toString();
  });
  socket.on('error', () => {});
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(answer)));
  return {
    sent,
    finish() {
      socket.write('{"a":1}}');
      return closed;
    },
  };
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe('signals', () => {
  test('a request that was begun is answered, durably, then the server ends with 0', async () => {
    const data = scratchFolder();
    const args = ['--dev', '--dev-root-token-id', 'root', '--data', data];
    const server = await runServer(args);
    const { sent, finish } = halfRequest(server.url);
    await sent;
    // The server must have read the head by now: it answers another request that came later.
    assert.equal((await api(server.url, undefined, 'GET', 'sys/health')).status, 200);
    server.signal('SIGTERM');
    while (
      await api(server.url, undefined, 'GET', 'sys/health').then(
        () => true,
        () => false,
      )
    )
      await pause(5);
    assert.match(await finish(), /^HTTP\/1\.1 200 [\s\S]*Connection: close\r\n/);
    assert.equal((await server.ended).code, 0);
    const again = await runServer(args);
    assert.equal((await api(again.url, 'root', 'GET', 'secret/data/slow')).status, 200);
    await again.stop();
  });

  test('a second signal ends it at once', async () => {
    const server = await runServer(['--dev', '--dev-root-token-id', 'root', '--data', scratchFolder()]);
    const { sent } = halfRequest(server.url);
    await sent;
    assert.equal((await api(server.url, undefined, 'GET', 'sys/health')).status, 200);
    server.signal('SIGTERM');
    while (
      await api(server.url, undefined, 'GET', 'sys/health').then(
        () => true,
        () => false,
      )
    )
      await pause(5);
    const before = performance.now();
    assert.equal((await server.stop('SIGINT')).code, 130);
    assert.ok(performance.now() - before < 3_000);
  });

  test('the same signal again: at once it is the same one, later it ends the server', async () => {
    const server = await runServer(['--dev', '--dev-root-token-id', 'root', '--data', scratchFolder()]);
    const { sent, finish } = halfRequest(server.url);
    await sent;
    assert.equal((await api(server.url, undefined, 'GET', 'sys/health')).status, 200);
    server.signal('SIGINT');
    await pause(20);
    server.signal('SIGINT');
    await pause(20);
    assert.match(await finish(), /^HTTP\/1\.1 200 /);
    assert.equal((await server.ended).code, 0);

    const other = await runServer(['--dev', '--data', scratchFolder()]);
    await halfRequest(other.url).sent;
    assert.equal((await api(other.url, undefined, 'GET', 'sys/health')).status, 200);
    other.signal('SIGINT');
    await pause(500);
    assert.equal((await other.stop('SIGINT')).code, 130);
  });

  test('a request that never ends is cut after the grace', async () => {
    const server = await runServer([
      ...['--dev', '--dev-root-token-id', 'root', '--stop-grace-millis', '200', '--data', scratchFolder()],
    ]);
    const { sent } = halfRequest(server.url);
    await sent;
    assert.equal((await api(server.url, undefined, 'GET', 'sys/health')).status, 200);
    assert.equal((await server.stop()).code, 0);
  });
});
