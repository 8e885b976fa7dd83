// The end of a server of several workers, asked for and not; and what its start prints and takes.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { childrenOf, MAIN, scratchFolder } from '../../src/cli/testing.ts';
import { CERT, KEY } from '../http/certificate.ts';
import { LINUX, Line, oneToEach, ROOT, runs, start, until } from './support.ts';

const BODY = '{"data":{"a":1}}';

/** A write whose body stops half-way. */
const half = (key: string): string =>
  `POST /v1/secret/data/${key} HTTP/1.1\r\nHost: h\r\nX-Service-Token: ${ROOT}\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY.slice(0, 5)}`;

describe('stopping', { ...LINUX, concurrency: 3 }, () => {
  test('a request under way on each worker is answered, idle connections are closed, nothing is left', async () => {
    const server = await start(3);
    const idle = [...(await oneToEach(server)).values()];
    const busy = await oneToEach(server);
    for (const [pid, line] of busy) line.write(half(`stop-${pid}`));
    // Those halves have arrived where a later request has been answered.
    for (const line of (await oneToEach(server)).values()) line.close();
    const workers = server.workers();
    server.signal('SIGTERM');
    await Promise.all(idle.map((line) => line.ended()));
    await assert.rejects(Line.open(server), /ECONNREFUSED/);
    for (const line of busy.values()) line.write(BODY.slice(5));
    for (const line of busy.values()) {
      const { status, kept } = await line.answer();
      assert.deepEqual([status, kept], [200, false]);
    }
    assert.equal((await server.ended).code, 0);
    assert.ok(![server.pid, ...workers].some(runs));
  });

  test('idle kept connections do not hold it up', async () => {
    const server = await start(2, ['--stop-grace-millis', '60000']);
    const lines = await Line.many(server, 50);
    await Promise.all(lines.map((line) => line.send('GET', 'sys/health')));
    const begun = performance.now();
    assert.equal((await server.stop()).code, 0);
    assert.ok(performance.now() - begun < 20_000, 'not the grace');
  });

  test('also while a worker is being replaced, whenever that is', async () => {
    const delays = [0, 60, 250];
    await Promise.all(
      delays.map(async (millis) => {
        const server = await start(2, ['--stop-grace-millis', '60000']);
        const [victim = 0] = server.workers();
        process.kill(victim, 'SIGKILL');
        await until('its replacement begins', () => !runs(victim));
        await pause(millis);
        const workers = server.workers();
        assert.equal((await server.stop()).code, 0);
        assert.ok(!workers.some(runs));
      }),
    );
  });

  test('a second signal ends all of it at once', async () => {
    const server = await start(2);
    const line = await Line.open(server);
    line.write(half('never'));
    await (await Line.open(server)).send('GET', 'sys/health');
    const workers = server.workers();
    server.signal('SIGTERM');
    await until('it stops', () => server.err().includes('stopping'));
    await pause(300);
    assert.equal((await server.stop('SIGTERM')).code, 143);
    await until('nobody is left', () => !workers.some(runs));
  });

  test('Ctrl-C at a terminal goes to all its processes, and it drains all the same', async () => {
    const flags = ['--workers', '2', '--listen', '127.0.0.1:0', '--dev', '--dev-root-token-id', ROOT];
    const group = spawn(process.execPath, [MAIN, 'server', ...flags, '--data', scratchFolder()], {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let err = '';
    group.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    const listening = /"listening","address":"([^"]+)"/;
    await until('it listens', () => listening.test(err));
    const server = { url: listening.exec(err)?.[1] ?? '' };
    const line = await Line.open(server);
    line.write(half('ctrl-c'));
    const workers = childrenOf(group.pid ?? 0);
    await until('a worker has it', () => line.servedBy(workers) !== undefined);
    await (await Line.open(server)).send('GET', 'sys/health');
    const ended = once(group, 'exit');
    process.kill(-(group.pid ?? 0), 'SIGINT');
    await until('it stops', () => err.includes('stopping'));
    line.write(BODY.slice(5));
    assert.equal((await line.answer()).status, 200);
    assert.deepEqual(await ended, [0, null]);
    assert.ok(!workers.some(runs));
  });
});

describe('starting', { ...LINUX, concurrency: 3 }, () => {
  test('TLS ends in the workers', async () => {
    const folder = scratchFolder();
    const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
    writeFileSync(cert, CERT);
    writeFileSync(key, KEY, { mode: 0o600 });
    const server = await start(3, ['--tls-cert', cert, '--tls-key', key]);
    assert.match(server.url, /^https:/);
    const port = new URL(server.url).port;
    const statuses = Array.from({ length: 12 }, async () => {
      const sent = request({ host: '127.0.0.1', port, ca: CERT, path: '/v1/sys/health', agent: false });
      const [answer] = await once(sent.end(), 'response');
      return answer.resume().statusCode;
    });
    assert.deepEqual(new Set(await Promise.all(statuses)), new Set([200]));
    assert.equal((await server.stop()).code, 0);
  });

  test('as many workers as cores, where that is asked for', async () => {
    const data = scratchFolder();
    const server = await start(1, ['--workers', 'auto'], data);
    assert.equal(server.workers().length, availableParallelism());
    assert.match(server.err(), new RegExp(`"listening","address":"http://127[^}]*"workers":${availableParallelism()}`));
    assert.equal((await server.stop()).code, 0);
  });
});
