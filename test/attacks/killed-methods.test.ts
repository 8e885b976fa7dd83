// B10 with a real process: the end of an auth method, and of a role, goes on after kill -9 wherever it was; nothing is left.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { lmdbStore } from '../../src/storage/lmdb.ts';
import { ROOT } from '../faults/client.ts';
import { allKeys } from '../faults/keys.ts';
import { live } from '../faults/life.ts';
import { at, Client, scratchFolder } from './support.ts';

/** More than one batch removes: each secret id is two records. */
const SECRET_IDS = 600;
const AT_ONCE = 50;

test('B10 a method whose end is killed comes to its end, and its name gives nothing of it', async () => {
  const folder = scratchFolder();
  const root = { token: ROOT };
  const first = await live(folder);
  // Where the test fails half-way.
  after(() => first.end('SIGKILL'));
  let client = new Client(new URL(first.url).host);
  const ask = async (method: string, path: string, body?: object): Promise<unknown> =>
    at((await client.expect([200, 204], method, path, { ...root, body })).json, 'data');
  const mount = async (): Promise<string> => {
    await ask('POST', 'sys/auth/machines', { type: 'approle' });
    return String(at(await ask('GET', 'sys/auth/machines'), 'uuid'));
  };
  const logIn = async (role_id: string, secret_id: string): Promise<number> =>
    (await client.send('POST', 'auth/machines/login', { token: undefined, body: { role_id, secret_id } })).status;

  const old = await mount();
  await ask('POST', 'auth/machines/role/r', { role_id: 'r' });
  let secretId = '';
  for (let i = 0; i < SECRET_IDS; i += AT_ONCE) {
    const made = await Promise.all(
      Array.from({ length: AT_ONCE }, () => ask('POST', 'auth/machines/role/r/secret-id', {})),
    );
    secretId = String(at(made[0], 'secret_id'));
  }
  const { json } = await client.expect(200, 'POST', 'auth/machines/login', {
    token: undefined,
    body: { role_id: 'r', secret_id: secretId },
  });
  const token = String(at(json, 'auth', 'client_token'));
  const entity = String(at(json, 'auth', 'entity_id'));
  await ask('POST', `identity/entity/id/${entity}`, { policies: ['of-the-old-one'] });
  for (let i = 0; i < 6; i++) assert.equal(await logIn('r', 'wrong'), 400);
  assert.equal(at(await ask('GET', 'sys/locked-users'), 'total'), 1);
  await ask('DELETE', 'sys/auth/machines');
  client.close();
  await first.end('SIGKILL');

  const left = await keysOf(folder, old);
  assert.ok(left.length > 0, 'it was killed before its end');
  const second = await live(folder);
  after(() => second.end('SIGKILL'));
  client = new Client(new URL(second.url).host);
  const fresh = await mount();
  assert.notEqual(fresh, old);
  assert.equal((await client.send('GET', 'auth/token/lookup-self', { token })).status, 403);
  assert.equal(at(await ask('GET', 'sys/locked-users'), 'total'), 0);
  assert.equal((await client.send('LIST', 'auth/machines/role', root)).status, 404);
  assert.equal(await logIn('r', secretId), 400);
  await ask('POST', 'auth/machines/role/r', { role_id: 'r' });
  assert.equal(await logIn('r', secretId), 400);
  assert.equal((await client.send('LIST', 'auth/machines/role/r/secret-id', root)).status, 404);
  const made = await ask('POST', 'auth/machines/role/r/secret-id', {});
  const again = await client.expect(200, 'POST', 'auth/machines/login', {
    token: undefined,
    body: { role_id: 'r', secret_id: String(at(made, 'secret_id')) },
  });
  assert.notEqual(at(again.json, 'auth', 'entity_id'), entity, 'an alias of the old one is nobody here');
  assert.deepEqual(at(again.json, 'auth', 'policies'), ['default']);
  for (const begun = performance.now(); (await keysOf(folder, old)).length > 0; await pause(50)) {
    assert.ok(performance.now() - begun < 30_000, 'the old one is removed');
  }
  assert.ok((await keysOf(folder, fresh)).length > 0);
  client.close();
  await second.end('SIGTERM');
});

/** The keys that name a mount; the server may run. */
async function keysOf(folder: string, uuid: string): Promise<readonly string[]> {
  const store = lmdbStore(join(folder, 'store'));
  try {
    return (await allKeys(store, '')).filter((key) => key.includes(uuid));
  } finally {
    await store.close();
  }
}
