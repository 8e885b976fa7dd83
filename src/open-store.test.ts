import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { api, scratchFolder } from './cli/testing.ts';
import { type Config, configOf } from './config.ts';
import { openDataFolder } from './data-folder.ts';
import { Failure } from './failure.ts';
import { createLog } from './log.ts';
import { openStore } from './open-store.ts';
import { type RunningServer, startServer } from './server.ts';
import { skip, startDatabase, type TestDatabase } from './storage/postgres/testing/server.ts';
import type { Store } from './storage/store.ts';

let database: TestDatabase;
before(async () => {
  if (skip !== false) return;
  database = await startDatabase('fsync=off');
});
after(() => (skip === false ? database.stop() : undefined));

const lines: string[] = [];
const log = createLog({ level: 'debug', format: 'json', write: (line) => lines.push(line) });

function start(changes: Partial<Config> = {}): Promise<RunningServer> {
  const url = { storage: 'postgres', postgresUrl: database.url } as const;
  return startServer(configOf({ listen: '127.0.0.1:0', data: scratchFolder(), ...url, ...changes }), log);
}

const member = (json: unknown, name: string): unknown => new Map(Object.entries(Object(json))).get(name);

test('two servers on one database: initialised once, unsealed each, and of one mind from one request to the next', {
  skip,
}, async () => {
  const data = scratchFolder();
  const passwordFile = join(scratchFolder(), 'password');
  writeFileSync(passwordFile, `${database.password}\n`);
  const one = await start({ data });
  const bare = database.url.replace(/:[^:@/]+@/, '@');
  const two = await start({ postgresUrl: bare, postgresPasswordFile: passwordFile });
  try {
    const made = await api(one.url, undefined, 'POST', 'sys/init', { secret_shares: 1, secret_threshold: 1 });
    assert.equal(made.status, 200);
    const root = String(member(made.json, 'root_token'));
    const [key] = Object.values(Object(member(made.json, 'keys')));
    assert.equal((await api(two.url, root, 'GET', 'sys/mounts')).status, 503);
    for (const { url } of [one, two]) {
      assert.equal((await api(url, undefined, 'POST', 'sys/unseal', { key })).status, 200);
    }
    const call = (at: RunningServer, token: string, method: string, path: string, body?: unknown) =>
      api(at.url, token, method, path, body);
    assert.equal(
      (await call(one, root, 'POST', 'sys/mounts/kv', { type: 'kv', options: { version: '2' } })).status,
      204,
    );
    assert.equal((await call(two, root, 'POST', 'kv/data/a', { data: { b: 'c' } })).status, 200);
    assert.match(JSON.stringify((await call(one, root, 'GET', 'kv/data/a')).json), /"data":\{"b":"c"\}/);
    const allow = (...capabilities: string[]) => ({
      policy: JSON.stringify({ path: { 'kv/data/*': { capabilities } } }),
    });
    await call(one, root, 'POST', 'sys/policies/acl/p', allow('read'));
    const created = await call(two, root, 'POST', 'auth/token/create', { policies: ['p'], no_parent: true });
    const token = String(member(member(created.json, 'auth'), 'client_token'));
    for (let i = 0; i < 5; i++) {
      assert.equal((await call(two, token, 'GET', 'kv/data/a')).status, 200);
      await call(one, root, 'POST', 'sys/policies/acl/p', allow('deny'));
      assert.equal((await call(two, token, 'GET', 'kv/data/a')).status, 403);
      await call(two, root, 'POST', 'sys/policies/acl/p', allow('read'));
      assert.equal((await call(one, token, 'GET', 'kv/data/a')).status, 200);
    }
    const uses = await call(one, root, 'POST', 'auth/token/create', { policies: ['p'], num_uses: 5 });
    const counted = String(member(member(uses.json, 'auth'), 'client_token'));
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, i) => call(i % 2 === 0 ? one : two, counted, 'GET', 'kv/data/a')),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 5);
    assert.equal(answers.filter(({ status }) => status === 403).length, 59);
    await call(one, root, 'POST', 'auth/token/revoke', { token });
    assert.equal((await call(two, token, 'GET', 'kv/data/a')).status, 403);
    assert.deepEqual(readdirSync(data), ['keyhold.lock.1']);
  } finally {
    await Promise.all([one.stop(), two.stop()]);
  }
  assert.deepEqual(lines, []);
});

/** The sentence that a start ends with, which shows no password. */
async function refusal(changes: Partial<Config>): Promise<string> {
  const error: unknown = await start(changes).then(
    (server) => server.stop(),
    (error: unknown) => error,
  );
  assert.ok(error instanceof Failure, String(error));
  assert.doesNotMatch(error.message, new RegExp(database.password));
  return error.message;
}

test('a database that cannot be used ends the start with a sentence', { skip }, async () => {
  assert.match(
    await refusal({ postgresPassword: 'wrong' }),
    /^the PostgreSQL store cannot be opened: password authentication failed/,
  );
  assert.match(
    await refusal({ postgresPasswordFile: '/nowhere' }),
    /postgres_password_file: \/nowhere: there is no such/,
  );
  const elsewhere = database.url.replace(/[^/]+$/, 'nowhere');
  assert.match(await refusal({ postgresUrl: elsewhere }), /database "nowhere" does not exist$/);
  const admin = new Client(database.url);
  await admin.connect();
  await admin.query('UPDATE keyhold.version SET version = 9, usable_from = 9');
  await admin.end();
  assert.match(await refusal({}), /has version 9, made by a newer server; this one knows 1: start a newer one$/);
  assert.deepEqual(lines, []);
});

/** Opens a store of its own in the database, as a server does when it starts. */
function openDirectly(changes: Partial<Config>, waitMillis?: number): Promise<Store> {
  const config = configOf({ storage: 'postgres', postgresUrl: database.url, postgresSchema: 'waited', ...changes });
  return openStore(config, openDataFolder(scratchFolder()), log, waitMillis);
}

test('a start waits for a database that boots beside it, and says so once', { skip }, async () => {
  await database.down();
  const opening = openDirectly({});
  await pause(300);
  assert.equal(lines.length, 1);
  await database.up();
  const store = await opening;
  await store.transact((tx) => tx.put('a', Buffer.from('v')));
  await store.close();
  const [line, ...more] = lines.splice(0);
  assert.match(String(line), /the database does not answer: waiting for it, at most 60 seconds.*nothing listens there/);
  assert.deepEqual(more, []);
});

test('a start that has waited in vain ends with a sentence', { skip }, async () => {
  const nobody = openDirectly({ postgresUrl: 'postgres://u@127.0.0.1:1/d' }, 200);
  await assert.rejects(nobody, /^Failure: the PostgreSQL store cannot be opened: nothing listens there$/);
  assert.equal(lines.splice(0).length, 1);
});
