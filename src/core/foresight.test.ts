import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { api, scratchFolder } from '../cli/testing.ts';
import { configOf } from '../config.ts';
import { createLog } from '../log.ts';
import { type RunningServer, startServer } from '../server.ts';
import { type Pooler, startPooler } from '../storage/postgres/testing/pooler.ts';
import { skip, startDatabase, type TestDatabase } from '../storage/postgres/testing/server.ts';

const log = createLog({ level: 'warn', format: 'text', write: (line) => process.stderr.write(line) });

let database: TestDatabase;
let pooler: Pooler;
let one: RunningServer;
let two: RunningServer;
let root: string;

before(async () => {
  if (skip !== false) return;
  database = await startDatabase('fsync=off');
  pooler = await startPooler(database, 4);
  [one, two] = [await start(pooler.url, folderOne), await start(database.url, folderTwo)];
  const made = Object(
    (await api(one.url, undefined, 'POST', 'sys/init', { secret_shares: 1, secret_threshold: 1 })).json,
  );
  root = String(made.root_token);
  for (const { url, service } of [one, two]) {
    await api(url, undefined, 'POST', 'sys/unseal', { key: made.keys[0] });
    await service.jobs.stop();
  }
  await call(root, 'POST', 'sys/mounts/kv', { type: 'kv', options: { version: '2' } });
  const all = { capabilities: ['create', 'read', 'update', 'delete', 'list', 'patch'] };
  const rules = { 'kv/*': all, 'auth/token/create': all, 'auth/token/lookup-self': all };
  await call(root, 'POST', 'sys/policies/acl/p', { policy: JSON.stringify({ path: rules }) });
  await call(root, 'POST', 'kv/data/r', secret('a'));
});
after(async () => {
  if (skip !== false) return;
  await Promise.all([one.stop(), two.stop()]);
  await pooler.stop();
  await database.stop();
});

const [folderOne, folderTwo] = [scratchFolder(), scratchFolder()];

const start = (postgresUrl: string, data: string): Promise<RunningServer> =>
  startServer(configOf({ listen: '127.0.0.1:0', data, storage: 'postgres', postgresUrl }), log);

const MERGE = 'application/merge-patch+json';

async function call(token: string, method: string, path: string, body?: unknown, at = one): Promise<unknown> {
  const headers = { 'X-Service-Token': token, 'Content-Type': method === 'PATCH' ? MERGE : 'application/json' };
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${at.url}/v1/${path}`, { method, headers, ...text });
  const answer = await response.text();
  return response.status === 200 ? JSON.parse(answer) : response.status;
}

/** A token with this policy, under `parent`. */
async function child(parent: string, policy = 'p'): Promise<string> {
  const made = await call(parent, 'POST', 'auth/token/create', { policies: [policy], no_default_policy: true });
  return String(Object(made).auth.client_token);
}

async function descendant(depth: number): Promise<string> {
  let token = root;
  for (let i = 0; i < depth; i++) token = await child(token);
  return token;
}

/** The token of a user who is in so many groups. */
async function loggedIn(name: string, groups: number): Promise<string> {
  await call(root, 'POST', 'sys/auth/userpass', { type: 'userpass' });
  const { accessor } = Object(await call(root, 'GET', 'sys/auth')).data['userpass/'];
  await call(root, 'POST', `auth/userpass/users/${name}`, { password: 'word', token_policies: 'p' });
  const { id } = Object(await call(root, 'POST', 'identity/entity', { name })).data;
  await call(root, 'POST', 'identity/entity-alias', { name, canonical_id: id, mount_accessor: accessor });
  for (let i = 0; i < groups; i++) {
    await call(root, 'POST', 'identity/group', { name: `${name}-${i}`, policies: [`g${i}`], member_entity_ids: [id] });
  }
  return String(
    Object(await call(root, 'POST', `auth/userpass/login/${name}`, { password: 'word' })).auth.client_token,
  );
}

/** Two transactions, what was read in between, and a commit; entity, alias and groups lead to one another. */
const MOST_OF_LOGIN = 8;

/** Trips of the first node while this is done. */
const trips = async (run: () => Promise<unknown>): Promise<number> => (await pooler.sent(run)).length;

const secret = (value: string) => ({ data: { value } });
const values = (answers: readonly unknown[]): unknown[] => answers.map((answer) => Object(answer).data.data.value);

describe('trips to the database', { skip }, () => {
  for (const [what, method, path, body, wanted] of [
    ['look up the token itself', 'GET', 'auth/token/lookup-self', undefined, 1],
    ['write a secret', 'POST', 'kv/data/w', secret('a'), 2],
    ['merge into a secret', 'PATCH', 'kv/data/r', secret('a'), 2],
    ['read a secret', 'GET', 'kv/data/r', undefined, 1],
    ['read its metadata', 'GET', 'kv/metadata/r', undefined, 1],
    // A listing is not guessed: it costs the database more than a trip.
    ['list secrets', 'LIST', 'kv/metadata', undefined, 2],
  ] as const) {
    for (const depth of [0, 1, 3]) {
      test(`${what}, by a token ${depth} below the root: ${wanted}, once the node has seen the like`, async () => {
        const token = await descendant(depth);
        const ask = async () => assert.equal(typeof (await call(token, method, path, body)), 'object');
        const first = await trips(ask);
        assert.ok(first <= wanted + 3, String(first));
        assert.deepEqual([await trips(ask), await trips(ask)], [wanted, wanted]);
      });
    }
  }

  test('a token that speaks for an entity in ten groups, once the node has seen the like: one', async () => {
    const token = await loggedIn('ada', 10);
    const looked = await call(token, 'GET', 'auth/token/lookup-self');
    assert.equal(Object(looked).data.identity_policies.length, 10);
    for (const path of ['auth/token/lookup-self', 'kv/data/r']) {
      const ask = async () => assert.equal(typeof (await call(token, 'GET', path)), 'object');
      await ask();
      assert.deepEqual([await trips(ask), await trips(ask)], [1, 1], path);
    }
  });

  test('a batch token, with all that it depends on: one; refused once that is revoked on the other node', async () => {
    for (const depth of [0, 1, 3]) {
      const parent = await descendant(depth);
      const made = await call(parent, 'POST', 'auth/token/create', { type: 'batch', policies: ['p'] });
      const token = String(Object(made).auth.client_token);
      const ask = async () => assert.equal(typeof (await call(token, 'GET', 'kv/data/r')), 'object');
      await ask();
      assert.deepEqual([await trips(ask), await trips(ask)], [1, 1], `${depth} below the root`);
      if (depth === 0) continue;
      await call(root, 'POST', 'auth/token/revoke', { token: parent }, two);
      assert.equal(await call(token, 'GET', 'kv/data/r'), 403);
    }
  });

  test('a token of thirty policies that the node has not met is made in as many as one of a single policy', async () => {
    const make = (policies: readonly string[]) => () => call(root, 'POST', 'auth/token/create', { policies });
    const names = (of: string, count: number) => Array.from({ length: count }, (_, i) => `${of}-${i}`);
    await make(['p'])();
    assert.equal(await trips(make(names('many', 30))), await trips(make(names('one', 1))));
  });

  test('a login: as many, whether the user is known or not, where it is refused', async () => {
    await loggedIn('bob', 1);
    const login = (name: string, password: string) => async () => {
      const status = await call('', 'POST', `auth/userpass/login/${name}`, { password });
      assert.equal(typeof status, password === 'word' && name === 'bob' ? 'object' : 'number');
    };
    const counts: number[] = [];
    for (const ask of [login('bob', 'word'), login('bob', 'wrong'), login('nobody', 'wrong')]) {
      await ask();
      counts.push(await trips(ask));
    }
    const [right = 0, wrong, unknown] = counts;
    assert.equal(wrong, unknown);
    assert.ok(right <= MOST_OF_LOGIN, `${counts}`);
  });

  test('a new token where others have read: one for who it is, one for all the rest; with ancestors one for these', async () => {
    const orphan = { policies: ['p'], no_default_policy: true, no_parent: true };
    const made = await call(root, 'POST', 'auth/token/create', orphan);
    const ask = (token: string) => trips(() => call(token, 'GET', 'kv/data/r'));
    assert.equal(await ask(Object(made).auth.client_token), 2);
    assert.equal(await ask(await descendant(3)), 3);
  });

  test('what this node has written it reads in one; what the other has written in one more, and as it is now', async () => {
    const read = () => call(root, 'GET', 'kv/data/n');
    const write = (value: string, at: RunningServer) => call(root, 'POST', 'kv/data/n', secret(value), at);
    await write('1', one);
    await read();
    const answers: unknown[] = [];
    const keep = async (): Promise<void> => void answers.push(await read());
    await write('2', one);
    assert.equal(await trips(keep), 1);
    await write('3', two);
    assert.deepEqual([await trips(keep), await trips(keep)], [2, 1]);
    assert.deepEqual(values(answers), ['2', '3', '3']);
  });

  test('a token that is revoked on the other node is refused, also where all that it reads is known', async () => {
    const token = await descendant(2);
    const ask = () => call(token, 'GET', 'kv/data/r');
    assert.deepEqual(values([await ask(), await ask()]), ['a', 'a']);
    await call(root, 'POST', 'auth/token/revoke', { token }, two);
    assert.equal(await ask(), 403);
  });
});

describe('what is fetched before anybody was permitted anything', { skip }, () => {
  const holds = async (token: string, path: string): Promise<boolean> => {
    const sent = await pooler.sent(() => call(token, 'GET', path));
    assert.ok(sent.length > 0);
    return sent.some((bytes) => bytes.includes('/m/r'));
  };

  test('is nothing of a path that the token may not read, whoever has read there', async () => {
    const stranger = await child(root, 'none');
    assert.equal(await holds(root, 'kv/data/r'), true);
    for (const token of [stranger, 's.nobody', 'nobody', 'AAAAAAAAAAAAAAAAAAAAAAAAAA']) {
      for (let i = 0; i < 3; i++) assert.equal(await holds(token, 'kv/data/r'), false, token);
    }
  });
});
