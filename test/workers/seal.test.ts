// Opening and sealing a server of several workers: one round of shares, all open or sealed together, and no key left.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readSeal, unwrapByKey } from '../../src/barrier/seal.ts';
import { combineShares } from '../../src/barrier/shamir.ts';
import { type ServerProcess, scratchFolder } from '../../src/cli/testing.ts';
import { lmdbStore } from '../../src/storage/lmdb.ts';
import { formsOf, foundIn, mayRead } from './memory.ts';
import { at, LINUX, Line, oneToEach, renewed, runs, start, until } from './support.ts';

interface Keys {
  readonly shares: readonly string[];
  readonly token: string;
}

async function init(server: ServerProcess, body: object): Promise<Keys> {
  const line = await Line.open(server);
  const { status, json } = await line.send('PUT', 'sys/init', body);
  line.close();
  assert.equal(status, 200);
  const shares = ['keys_base64', 'recovery_keys_base64'].flatMap((name) => at(json, name) ?? []);
  return { shares: shares.map(String), token: String(at(json, 'root_token')) };
}

/** One share over a connection of its own. */
async function give(
  server: ServerProcess,
  key: string | undefined,
): Promise<readonly [number, unknown, unknown, unknown]> {
  const line = await Line.open(server);
  const { status, json } = await line.send('POST', 'sys/unseal', { key });
  line.close();
  return [status, at(json, 'sealed'), at(json, 'progress'), at(json, 'nonce')];
}

/** What each connection is answered; 0 where it ends instead. */
const statuses = (lines: Iterable<Line>, path: string, token?: string): Promise<readonly number[]> =>
  Promise.all([...lines].map((line) => statusOf(line, path, token)));

const statusOf = (line: Line, path: string, token?: string): Promise<number> =>
  line.send('GET', path, undefined, token).then(
    ({ status }) => status,
    () => 0,
  );

const all = (status: number, count: number): readonly number[] => Array.from({ length: count }, () => status);

/** The root key, which nobody outside the server ever sees, out of the stored record and enough shares. */
async function keysOf(data: string, shares: readonly string[]): Promise<{ unseal: Buffer; root: Buffer }> {
  const store = lmdbStore(join(data, 'store'));
  try {
    const record = await store.transact(readSeal);
    const unseal = combineShares(shares.map((share) => Buffer.from(share, 'base64')));
    return { unseal, root: unwrapByKey(unseal, record?.root ?? assert.fail('not initialised')) };
  } finally {
    await store.close();
  }
}

describe('opening and sealing', { ...LINUX, concurrency: true }, () => {
  test('five shares, three needed: one round over all workers; then all are open at once', async () => {
    const server = await start(3, [], scratchFolder());
    const { shares, token } = await init(server, { secret_shares: 5, secret_threshold: 3 });
    const lines = [...(await oneToEach(server)).values()];
    const [one = assert.fail(), two = assert.fail(), three = assert.fail()] = lines;
    const over = async (line: Line, body: object): Promise<readonly unknown[]> => {
      const { status, json } = await line.send('POST', 'sys/unseal', body);
      return [status, at(json, 'sealed'), at(json, 'progress')];
    };
    assert.deepEqual(await over(one, { key: shares[0] }), [200, true, 1]);
    assert.deepEqual(await over(two, { key: shares[0] }), [200, true, 1], 'the same share is no progress elsewhere');
    assert.deepEqual(await over(three, { reset: true }), [200, true, 0]);
    assert.deepEqual(await over(two, { key: shares[1] }), [200, true, 1]);
    assert.deepEqual(await over(one, { key: 'AAAA' }), [400, undefined, undefined]);
    assert.deepEqual(await over(one, { key: shares[2] }), [200, true, 2]);
    const wrong = Buffer.concat([randomBytes(32), Buffer.from([9])]).toString('base64');
    assert.equal((await over(three, { key: wrong }))[0], 400);
    for (const line of lines) assert.equal(at((await line.send('GET', 'sys/seal-status')).json, 'progress'), 0);

    const [, sealed, progress, nonce] = await give(server, shares[4]);
    assert.deepEqual([sealed, progress, String(nonce).length], [true, 1, 36]);
    assert.deepEqual(await give(server, shares[4]), [200, true, 1, nonce], 'one nonce wherever it is asked');
    assert.deepEqual(await give(server, shares[0]), [200, true, 2, nonce]);
    for (const line of lines) assert.equal(at((await line.send('GET', 'sys/seal-status')).json, 'progress'), 2);
    assert.deepEqual((await give(server, shares[2])).slice(0, 3), [200, false, 0]);
    const fresh = await Line.many(server, 64);
    assert.deepEqual(await statuses([...fresh, ...lines], 'auth/token/lookup-self', token), all(200, 67));
    assert.equal((await server.stop()).code, 0);
  });

  test('I7 after a seal no connection is answered, no process is an old one, and none has a key in its memory', async (t) => {
    const data = scratchFolder();
    const server = await start(2, [], data);
    if (!mayRead(server.pid)) {
      await server.stop();
      return t.skip('the memory of other processes may not be read here');
    }
    const { shares, token } = await init(server, { secret_shares: 3, secret_threshold: 2 });
    const { unseal, root } = await keysOf(data, shares.slice(0, 2));
    const share = Buffer.from(shares[0] ?? '', 'base64');
    const secrets = new Map([
      ...formsOf('root key', root),
      ...formsOf('unseal key', unseal),
      ...formsOf('share', share),
    ]);
    await give(server, shares[0]);
    assert.ok((await foundIn(server.pid, secrets)).includes('share'), 'while it waits for the next');
    assert.equal((await give(server, shares[1]))[1], false);
    const old = server.workers();
    assert.deepEqual(await foundIn(server.pid, secrets), ['root key']);
    for (const pid of old) assert.ok((await foundIn(pid, secrets)).includes('root key'));

    const held = await oneToEach(server);
    const [sealer = assert.fail()] = held.values();
    // Whoever is on the way when the server is sealed gets an answer of before or of after.
    let over = false;
    const racing = await Line.many(server, 16);
    const race = racing.map(async (line) => {
      for (let last = 200; !line.closed && !over; ) {
        const status = await statusOf(line, 'auth/token/lookup-self', token);
        assert.ok([0, 200, 503].includes(status) && (status !== 200 || last === 200), `${status} after ${last}`);
        last = status;
      }
    });
    const { status } = await sealer.send('POST', 'sys/seal', undefined, token);
    const then = statuses(held.values(), 'auth/token/lookup-self', token);
    assert.equal(status, 204);
    assert.ok(
      (await then).every((status) => status === 503 || status === 0),
      'at once, in each process',
    );
    const fresh = await Line.many(server, 32);
    assert.deepEqual(await statuses(fresh, 'auth/token/lookup-self', token), all(503, 32));
    await Promise.all([...held.values()].map((line) => line.ended()));
    over = true;
    await Promise.all(race);
    const workers = await renewed(server, 2, old);
    for (const pid of [server.pid, ...workers]) assert.deepEqual(await foundIn(pid, secrets), [], `process ${pid}`);
    assert.deepEqual(await statuses(fresh, 'sys/health'), all(503, 32), 'those live on that the new ones serve');
    for (const key of shares.slice(1)) await give(server, key);
    assert.deepEqual(await statuses(fresh, 'auth/token/lookup-self', token), all(200, 32));
    assert.equal((await server.stop()).code, 0);
  });

  test('I7 seals at once, over all workers: each is answered when all are sealed, and the processes are replaced once', async () => {
    const server = await start(3);
    const old = server.workers();
    const held = [...(await oneToEach(server)).values()];
    const sealers = [...held, ...(await Line.many(server, 9))];
    const probes = await oneToEach(server);
    const seals = sealers.map(async (line) => {
      const answer = await line.send('POST', 'sys/seal').catch(() => ({ status: 0 }));
      if (answer.status !== 204) return answer.status;
      const seen = await statuses(probes.values(), 'secret/config');
      assert.ok(!seen.includes(200), 'sealed everywhere');
      return 204;
    });
    const ends = await Promise.all(seals);
    assert.ok(ends.includes(204) && ends.every((status) => [0, 204, 503].includes(status)), String(ends));
    const workers = await renewed(server, 3, old);
    await until('they serve', async () => (await oneToEach(server)).size === 3);
    assert.deepEqual(server.workers().filter(runs), workers);
    assert.equal((await server.stop()).code, 0);
  });

  test('by a key file it starts open; a seal lasts over a restart; unsealing opens all', async () => {
    const [data, keys] = [scratchFolder(), scratchFolder()];
    const file = join(keys, 'seal.key');
    writeFileSync(file, randomBytes(32), { mode: 0o600 });
    const again = (): Promise<ServerProcess> => start(3, ['--seal-key-file', file], data);
    const first = await start(1, ['--seal-key-file', file], data);
    const { shares, token } = await init(first, { recovery_shares: 3, recovery_threshold: 2 });
    await first.stop();
    const second = await again();
    const open = await Line.many(second, 16);
    assert.deepEqual(await statuses(open, 'auth/token/lookup-self', token), all(200, 16));
    const old = second.workers();
    const [sealer = assert.fail()] = open;
    assert.equal((await sealer.send('POST', 'sys/seal', undefined, token)).status, 204);
    await renewed(second, 3, old);
    assert.deepEqual(await statuses(await Line.many(second, 16), 'auth/token/lookup-self', token), all(503, 16));
    await second.stop();
    const third = await again();
    assert.deepEqual(await statuses(await Line.many(third, 8), 'auth/token/lookup-self', token), all(503, 8));
    await give(third, shares[0]);
    assert.equal((await give(third, shares[2]))[1], false);
    assert.deepEqual(await statuses(await Line.many(third, 64), 'auth/token/lookup-self', token), all(200, 64));
    assert.equal((await third.stop()).code, 0);
  });
});
