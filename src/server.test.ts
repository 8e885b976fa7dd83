import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { api, scratchFolder } from './cli/testing.ts';
import { type Config, configOf } from './config.ts';
import { Failure } from './failure.ts';
import { createLog } from './log.ts';
import { startServer } from './server.ts';

/** A log whose lines the test can look at. */
function quiet() {
  const lines: string[] = [];
  return { lines, log: createLog({ level: 'debug', format: 'json', write: (line) => lines.push(line) }) };
}

const free = (changes: Partial<Config>): Config => configOf({ listen: '127.0.0.1:0', ...changes });

test('a server within a process: sealed at first, stopped, started again on its folder', async () => {
  const data = join(scratchFolder(), 'data');
  const { log, lines } = quiet();
  for (let i = 0; i < 2; i++) {
    const server = await startServer(free({ data }), log);
    assert.equal(server.development, undefined);
    assert.equal(server.url, `http://${server.address}`);
    assert.ok(server.service.barrier.sealed);
    assert.equal((await api(server.url, 'any', 'GET', 'sys/mounts')).status, 503);
    assert.equal((await api(server.url, undefined, 'GET', 'sys/health')).status, 501);
    await assert.rejects(startServer(free({ data }), log), /in use by another server/);
    await Promise.all([server.stop(), server.stop()]);
    await assert.rejects(fetch(`${server.url}/v1/sys/health`));
  }
  assert.deepEqual(lines, []);
});

test('development mode within a process', async () => {
  const data = join(scratchFolder(), 'data');
  const { log, lines } = quiet();
  const server = await startServer(free({ data, dev: true, devRootTokenId: 'root' }), log);
  assert.equal(server.development?.rootToken, 'root');
  assert.equal((await api(server.url, 'root', 'POST', 'secret/data/a', { data: { b: 1 } })).status, 200);
  await server.stop();
  assert.deepEqual(lines, []);
});

test('settings reach what they are for', async () => {
  const { log } = quiet();
  const server = await startServer(
    free({
      ...{ data: scratchFolder(), dev: true, devRootTokenId: 'root', clusterName: 'blue' },
      ...{ bodyBytes: 2_000, defaultLeaseTtlSeconds: 100, maxLeaseTtlSeconds: 200 },
    }),
    log,
  );
  const call = (method: string, path: string, body?: unknown) => api(server.url, 'root', method, path, body);
  assert.match(JSON.stringify((await call('GET', 'sys/health')).json), /"cluster_name":"blue"/);
  assert.equal((await call('POST', 'secret/data/a', { data: { a: 'x'.repeat(1_900) } })).status, 200);
  assert.equal((await call('POST', 'secret/data/a', { data: { a: 'x'.repeat(2_000) } })).status, 413);
  const tuning = JSON.stringify((await call('GET', 'sys/mounts/secret/tune')).json);
  assert.match(tuning, /"default_lease_ttl":100,.*"max_lease_ttl":200/);
  await server.stop();
});

test('what fails at the start leaves nothing open', async () => {
  const data = scratchFolder();
  const { log } = quiet();
  const other = await startServer(free({ data: scratchFolder() }), log);
  await assert.rejects(startServer(free({ data, listen: other.address }), log), Failure);
  await other.stop();
  await (await startServer(free({ data }), log)).stop();
});
