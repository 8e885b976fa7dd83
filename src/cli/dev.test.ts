import assert from 'node:assert/strict';
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { api, run, runServer, scratchFolder } from './testing.ts';

const FIRST = { data: { user: 'ada', number: 1 } };

/** The data of the secret `first`, or the status where it cannot be read. */
async function readFirst(url: string, token: string): Promise<unknown> {
  const { status, json } = await api(url, token, 'GET', 'secret/data/first');
  return status === 200 ? JSON.parse(JSON.stringify(json)).data.data : status;
}

const mode = (path: string): number => statSync(path).mode & 0o777;

describe('development mode', () => {
  test('what is written stays over a stop, kill -9, and new root tokens', async () => {
    const data = join(scratchFolder(), 'dev');
    const first = await runServer(['--dev', '--dev-root-token-id', 'root', '--data', data]);
    assert.equal((await api(first.url, 'root', 'POST', 'secret/data/first', FIRST)).status, 200);
    const stopped = await first.stop();
    assert.equal(stopped.code, 0, stopped.err);
    assert.match(stopped.out, /Root token +root\n/);
    assert.match(stopped.out, /Do not use it in production/);
    assert.ok(stopped.out.includes(`curl -H "X-Service-Token: root" -d`));
    assert.ok(stopped.out.includes(first.url));
    assert.doesNotMatch(stopped.err, /unseal_key|"root"/);

    const file = join(data, 'dev.json');
    assert.deepEqual([mode(data), mode(file), mode(join(data, 'store', 'data.mdb'))], [0o700, 0o600, 0o600]);
    const { unseal_key: key } = JSON.parse(readFileSync(file, 'utf8'));

    const second = await runServer(['--dev', '--data', data]);
    assert.deepEqual(await readFirst(second.url, 'root'), FIRST.data);
    assert.equal((await second.stop('SIGKILL')).code, 'SIGKILL');

    const third = await runServer(['--dev', '--dev-root-token-id', 'other', '--data', data]);
    assert.deepEqual(await readFirst(third.url, 'other'), FIRST.data);
    assert.deepEqual(await readFirst(third.url, 'root'), FIRST.data);
    assert.equal(await readFirst(third.url, 'another'), 403);
    assert.equal((await third.stop('SIGINT')).code, 0);
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { root_token: 'other', unseal_key: key });
    assert.equal(mode(file), 0o600);
  });

  test('a first start makes a random root token; a revoked one is replaced', async () => {
    const data = join(scratchFolder(), 'dev');
    const secrets = () => JSON.parse(readFileSync(join(data, 'dev.json'), 'utf8'));
    const first = await runServer(['--dev', '--data', data]);
    const { root_token: token } = secrets();
    assert.match(token, /^s\.[A-Za-z0-9_-]{38}$/);
    assert.equal((await api(first.url, token, 'POST', 'auth/token/revoke-self')).status, 204);
    assert.equal(await readFirst(first.url, token), 403);
    await first.stop();
    const second = await runServer(['--dev', '--data', data]);
    assert.notEqual(secrets().root_token, token);
    assert.equal(await readFirst(second.url, secrets().root_token), 404);
    await second.stop();
  });

  test('secret/ is mounted again where it is gone, and left alone where something lies there', async () => {
    const data = join(scratchFolder(), 'dev');
    const args = ['--dev', '--dev-root-token-id', 'root', '--data', data];
    const first = await runServer(args);
    assert.equal((await api(first.url, 'root', 'POST', 'secret/data/first', FIRST)).status, 200);
    assert.equal((await api(first.url, 'root', 'DELETE', 'sys/mounts/secret')).status, 204);
    await first.stop();
    const second = await runServer(args);
    assert.equal(await readFirst(second.url, 'root'), 404);
    assert.equal((await api(second.url, 'root', 'POST', 'secret/data/first', FIRST)).status, 200);
    assert.equal((await api(second.url, 'root', 'DELETE', 'sys/mounts/secret')).status, 204);
    const kv = { type: 'kv', options: { version: '2' } };
    assert.equal((await api(second.url, 'root', 'POST', 'sys/mounts/secret/team', kv)).status, 204);
    await second.stop();
    const third = await runServer(args);
    assert.equal(await readFirst(third.url, 'root'), 404);
    assert.equal((await api(third.url, 'root', 'GET', 'sys/mounts/secret/team')).status, 200);
    await third.stop();
  });

  test('without dev.json, with a bad one, or with a foreign key it does not start, and says so', async () => {
    const data = join(scratchFolder(), 'dev');
    await (await runServer(['--dev', '--data', data])).stop();
    const file = join(data, 'dev.json');
    const good = readFileSync(file);
    const start = () => run(['server', '--dev', '--listen', '127.0.0.1:0', '--data', data]);
    const wrongKey = JSON.stringify({ root_token: 'x', unseal_key: Buffer.alloc(32, 7).toString('base64') });
    for (const [content, expected] of [
      ['{', /^keyhold: .*dev\.json cannot be read: it is not JSON\n$/m],
      ['{"root_token":1}', /dev\.json must hold the texts root_token and unseal_key\n$/m],
      [wrongKey, /^keyhold: .*these shares do not open the server/m],
    ] as const) {
      writeFileSync(file, content);
      const { code, err } = await start();
      assert.equal(code, 1, err);
      assert.match(err, expected);
    }
    rmSync(file);
    const { code, err } = await start();
    assert.equal(code, 1);
    assert.match(err, /was not made by development mode: .*dev\.json is missing\. Start without --dev/);
    writeFileSync(file, good);
    chmodSync(file, 0o600);
    assert.equal((await (await runServer(['--dev', '--data', data])).stop()).code, 0);
  });
});
