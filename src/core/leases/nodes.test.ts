// Two nodes on one database: what is leased on the one has ended on the other with the same answer.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Barrier } from '../../barrier/index.ts';
import { Engines } from '../../framework/engine.ts';
import { skip, startDatabase, type TestDatabase } from '../../storage/postgres/testing/server.ts';
import { postgresStore } from '../../storage/postgres.ts';
import type { Store } from '../../storage/store.ts';
import { at } from '../../sys/testing.ts';
import { writeFirstState } from '../first-state.ts';
import { handle } from '../handle.ts';
import { Service } from '../service.ts';
import { requestOf } from '../testing.ts';
import { gate, lender } from './testing.ts';

const silent = (): void => {};

/** One node, in this process. */
class TestNode {
  readonly store: Store;
  readonly service: Service;
  root = '';

  constructor(store: Store) {
    this.store = store;
    const settings = { version: '0.0.0', clusterName: 'test', leases: { defaultTtl: 3_600, maxTtl: 7_200 } };
    const log = { info: silent, warn: silent, error: silent };
    this.service = new Service(new Barrier(this.store), new Engines([lender, gate]), settings, log);
  }

  async ask(
    method: string,
    path: string,
    body: object = {},
    token = this.root,
  ): Promise<{ status: number; json: unknown }> {
    const headers = [['x-service-token', token] as const];
    const { status, body: text } = await handle(
      this.service,
      requestOf(method, `/v1/${path}`, headers, JSON.stringify(body)),
    );
    return { status, json: typeof text === 'string' ? JSON.parse(text) : undefined };
  }

  async lend(token = this.root): Promise<{ id: string; name: string }> {
    const { json } = await this.ask('POST', 'lend/creds/r', {}, token);
    return { id: String(at(json, 'data', 'id')), name: String(at(json, 'lease_id')) };
  }

  async sees(id: string): Promise<unknown> {
    const { status, json } = await this.ask('GET', `lend/lent/${id}`);
    return status === 404 ? 'gone' : at(json, 'data', 'lives');
  }
}

describe('leases of two nodes that share a database', { skip }, () => {
  let database: TestDatabase | undefined;
  let nodes: readonly TestNode[] = [];
  const pair = (): readonly [TestNode, TestNode] => {
    const [one, other] = nodes;
    return one === undefined || other === undefined ? assert.fail() : [one, other];
  };

  before(async () => {
    database = await startDatabase('fsync=off');
    const { url } = database;
    const open = () => postgresStore({ url, poolSize: 4 });
    nodes = [new TestNode(await open()), new TestNode(await open())];
    const [one, other] = pair();
    const { keys, result } = await one.service.barrier.init({ shares: 1, threshold: 1 }, (tx) => writeFirstState(tx));
    for (const node of nodes) {
      node.root = result;
      await node.service.barrier.submit(Buffer.from(keys[0] ?? ''));
    }
    await one.ask('POST', 'sys/mounts/lend', { type: 'lender' });
    await other.ask('POST', 'sys/auth/gate', { type: 'gate' });
    await other.ask('POST', 'sys/policies/acl/borrower', { policy: 'path "lend/*" { capabilities = ["update"] }' });
  });
  after(async () => {
    for (const { store } of nodes) await store.close();
    await database?.stop();
  });

  const login = async (node: TestNode): Promise<string> =>
    String(at((await node.ask('POST', 'auth/gate/login/ada')).json, 'auth', 'client_token'));

  test('revoked, ended with its token, or by its path on the one, it is dead on the other', async () => {
    const [one, other] = pair();
    const token = await login(one);
    const ends = [
      ['lease', (name: string) => one.ask('POST', 'sys/leases/revoke', { lease_id: name, sync: false })],
      ['token', () => one.ask('POST', 'auth/token/revoke', { token })],
      ['path', () => one.ask('POST', 'sys/leases/revoke-prefix/lend/creds')],
    ] as const;
    for (const [what, end] of ends) {
      const lent = [
        await one.lend(what === 'token' ? token : one.root),
        await other.lend(what === 'token' ? token : one.root),
      ];
      for (const { id } of lent) assert.deepEqual([await one.sees(id), await other.sees(id)], [true, true]);
      for (const { name } of lent) await end(name);
      for (const { id } of lent) assert.deepEqual([await one.sees(id), await other.sees(id)], [false, false], what);
      const own = await other.lend();
      await other.service.jobs.settle();
      for (const { id } of lent) assert.deepEqual([await one.sees(id), await other.sees(id)], ['gone', 'gone'], what);
      assert.deepEqual([await one.sees(own.id), await other.sees(own.id)], [true, true]);
      // The other node has the claims by now: these go by its hands.
      await other.ask('POST', 'sys/leases/revoke', { lease_id: own.name });
    }
  });

  test('64 revocations of one lease at once, over both: all are answered, and it is taken back once', async () => {
    const [one, other] = pair();
    const { id, name } = await one.lend();
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, i) =>
        (i % 2 === 0 ? one : other).ask('POST', 'sys/leases/revoke', { lease_id: name }),
      ),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([204]));
    assert.deepEqual([await one.sees(id), await other.sees(id)], ['gone', 'gone']);
  });

  test('a lease that is revoked while it is renewed on the other node does not come back', async () => {
    const [one, other] = pair();
    for (let round = 0; round < 10; round++) {
      const { id, name } = await one.lend();
      const answers = await Promise.all([
        other.ask('POST', 'sys/leases/renew', { lease_id: name, increment: 60 }),
        one.ask('POST', 'sys/leases/revoke', { lease_id: name }),
        other.ask('POST', 'sys/leases/renew', { lease_id: name, increment: 90 }),
      ]);
      assert.equal(answers[1]?.status, 204);
      for (const { status } of answers) assert.ok([200, 204, 400].includes(status), String(status));
      assert.deepEqual([await one.sees(id), await other.sees(id)], ['gone', 'gone']);
    }
    await Promise.all(nodes.map(({ service }) => service.jobs.settle()));
  });

  test('logins while all logins are ended: those answered before it are dead, those asked for after it live', async () => {
    const [one, other] = pair();
    for (let round = 0; round < 5; round++) {
      const early = await Promise.all([login(one), login(other), login(one), login(other)]);
      const during = [login(one), login(other), login(other)];
      assert.equal((await one.ask('POST', 'sys/leases/revoke-prefix/auth/gate')).status, 204);
      const late = await Promise.all([login(one), login(other)]);
      const found = await Promise.all(during);
      const lives = (token: string) =>
        Promise.all(nodes.map(async (node) => (await node.ask('POST', 'auth/token/lookup', { token })).status));
      const first = await Promise.all(found.map(lives));
      if (round % 2 === 0) await other.service.jobs.settle();
      for (const token of early) assert.deepEqual(await lives(token), [403, 403]);
      for (const token of late) assert.deepEqual(await lives(token), [200, 200]);
      assert.deepEqual(await Promise.all(found.map(lives)), first);
    }
  });
});
