// Several workers are one server: what one did, all know with the next request.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { logInAtOnce } from '../attacks/logins.ts';
import { Client } from '../attacks/support.ts';
import { at, descriptorsOf, LINUX, Line, oneToEach, ROOT, start, until } from './support.ts';

const server = await start(4);
after(() => server.stop());

describe('four workers are one server', LINUX, () => {
  test('connections are spread, each worker answers, and all see the same', async () => {
    const lines = [...(await Line.many(server, 32))];
    for (const [i, line] of lines.entries()) {
      assert.equal((await line.send('POST', `secret/data/spread/${i}`, { data: { i } })).status, 200);
    }
    const serving = new Set<number | undefined>();
    for (const [i, line] of lines.entries()) {
      serving.add(line.servedBy(server.workers()));
      const other = (i + 1) % lines.length;
      assert.equal(at((await line.send('GET', `secret/data/spread/${other}`)).json, 'data', 'data', 'i'), other);
    }
    assert.ok(!serving.has(undefined), 'a worker has each');
    // One that is busy just then is passed over.
    await until('each worker gets some', async () => {
      const line = await Line.open(server);
      lines.push(line);
      await line.send('GET', 'sys/health');
      return serving.add(line.servedBy(server.workers())).size === 4;
    });
    for (const line of lines) line.close();
  });

  test('a policy that is changed over one connection holds in the next request over any other', async () => {
    const lines = [...(await oneToEach(server)).values()];
    const [root = assert.fail(), ...others] = lines;
    const policy = (capability: string) => ({
      policy: `path "secret/data/shared" { capabilities = ["${capability}"] }`,
    });
    assert.equal((await root.send('POST', 'secret/data/shared', { data: { a: 1 } })).status, 200);
    assert.equal((await root.send('POST', 'sys/policies/acl/turn', policy('read'))).status, 204);
    const { json } = await root.send('POST', 'auth/token/create', { policies: ['turn'] });
    const token = String(at(json, 'auth', 'client_token'));
    for (let i = 0; i < 50; i++) {
      const allowed = i % 2 === 0;
      const changer = lines[i % lines.length] ?? root;
      assert.equal(
        (await changer.send('POST', 'sys/policies/acl/turn', policy(allowed ? 'read' : 'deny'))).status,
        204,
      );
      const answers = others.map((line) => line.send('GET', 'secret/data/shared', undefined, token));
      for (const { status } of await Promise.all(answers)) assert.equal(status, allowed ? 200 : 403);
    }
    assert.equal((await root.send('POST', 'auth/token/revoke', { token })).status, 204);
    for (const line of others)
      assert.equal((await line.send('GET', 'auth/token/lookup-self', undefined, token)).status, 403);
    for (const line of lines) line.close();
  });

  test('a token of five uses and 64 requests at once over all workers: exactly five', async () => {
    const lines = await Line.many(server, 64);
    const [root = assert.fail()] = lines;
    for (let round = 0; round < 3; round++) {
      const { json } = await root.send('POST', 'auth/token/create', { policies: ['root'], num_uses: 5 });
      const token = String(at(json, 'auth', 'client_token'));
      const answers = lines.map((line) => line.send('GET', 'auth/token/lookup-self', undefined, token));
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      assert.equal(statuses.filter((status) => status === 200).length, 5, String(statuses));
      assert.equal(statuses.filter((status) => status === 403).length, 59, String(statuses));
    }
    for (const line of lines) line.close();
  });

  test('64 writes of the same version at once over all workers: one wins', async () => {
    const lines = await Line.many(server, 64);
    const [root = assert.fail()] = lines;
    for (let version = 0; version < 5; version++) {
      const body = (i: number) => ({ options: { cas: version }, data: { winner: i } });
      const answers = await Promise.all(lines.map((line, i) => line.send('POST', 'secret/data/cas', body(i))));
      const winners = answers.flatMap(({ status }, i) => (status === 200 ? [i] : []));
      assert.equal(winners.length, 1, String(answers.map(({ status }) => status)));
      assert.ok(answers.every(({ status }) => status === 200 || status === 400));
      const { json } = await root.send('GET', 'secret/data/cas');
      assert.equal(at(json, 'data', 'data', 'winner'), winners[0]);
    }
    for (const line of lines) line.close();
  });

  test('a thousand connections leave no descriptor behind', async () => {
    const workers = server.workers();
    const counts = (): readonly number[] => [server.pid, ...workers].map((pid) => descriptorsOf(pid).length);
    await until('the connections of other tests are gone', async () => {
      const first = Math.max(...counts());
      await new Promise((resolve) => setTimeout(resolve, 100));
      return Math.max(...counts()) >= first;
    });
    const earlier = counts();
    for (let round = 0; round < 20; round++) {
      const lines = await Line.many(server, 50);
      // Some ask, some leave while they are being handed over.
      await Promise.all(lines.filter((_, i) => i % 2 === 0).map((line) => line.send('GET', 'sys/health')));
      for (const line of lines) line.close();
    }
    await until(`no more descriptors than ${earlier}`, () =>
      counts().every((count, i) => count <= (earlier[i] ?? 0) + 2),
    );
    assert.deepEqual(server.workers(), workers, 'nobody was replaced');
  });
});

test('B13 a secret id of five uses lets in five of 64 over all workers', LINUX, async () => {
  const client = new Client(new URL(server.url).host);
  try {
    await logInAtOnce([client], ROOT);
  } finally {
    client.close();
  }
});

test('the limit of connections holds over all workers', LINUX, async () => {
  const small = await start(2, ['--connections', '20']);
  const lines = [...(await Line.many(small, 20))];
  const answers = await Promise.all(lines.map((line) => line.send('GET', 'sys/health')));
  assert.ok(answers.every(({ status, kept }) => status === 200 && kept));
  const more = await Line.many(small, 10);
  const refused = await Promise.all(more.map((line) => line.answer()));
  assert.deepEqual(new Set(refused.map(({ status }) => status)), new Set([503]));
  for (const line of lines.splice(0, 10)) line.close();
  await until('there is room again', async () => {
    const line = await Line.open(small);
    const { status } = await line.send('GET', 'secret/config', undefined, ROOT);
    line.close();
    return status !== 503;
  });
  assert.equal((await small.stop()).code, 0);
});
