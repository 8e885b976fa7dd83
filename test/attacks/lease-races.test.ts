// B7, B10: leases that are granted and renewed while what they end with is ended, by three nodes on one store.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { methods } from '../../src/auth/index.ts';
import { Barrier } from '../../src/barrier/index.ts';
import { writeFirstState } from '../../src/core/first-state.ts';
import { handle } from '../../src/core/handle.ts';
import { lender } from '../../src/core/leases/testing.ts';
import { Service } from '../../src/core/service.ts';
import { Engines } from '../../src/framework/engine.ts';
import { memoryStore } from '../../src/storage/memory.ts';
import { skip, startDatabase, type TestDatabase } from '../../src/storage/postgres/testing/server.ts';
import { postgresStore } from '../../src/storage/postgres.ts';
import type { Store } from '../../src/storage/store.ts';
import { at } from '../../src/sys/testing.ts';
import { allKeys } from '../faults/keys.ts';

const AT_ONCE = 64;

interface Reply {
  readonly status: number;
  readonly json: unknown;
}

/** Nodes in this process, each with a barrier of its own; `lend/` is mounted. */
class Nodes {
  readonly stores: readonly Store[];
  readonly services: readonly Service[];
  readonly failed: string[] = [];
  #root = '';
  #turn = 0;

  private constructor(stores: readonly Store[]) {
    const note = (sentence: string): void => {
      this.failed.push(sentence);
    };
    const log = { info() {}, warn() {}, error: note };
    this.stores = stores;
    this.services = stores.map((store) => {
      const leases = { defaultTtl: 3_600, maxTtl: 7_200 };
      const settings = { version: '9.9.9', clusterName: 'test', leases, setupToken: undefined };
      return new Service(new Barrier(store, {}), new Engines([lender, ...methods]), settings, log);
    });
  }

  static async open(stores: readonly Store[]): Promise<Nodes> {
    const nodes = new Nodes(stores);
    const [first] = nodes.services;
    assert.ok(first !== undefined);
    const { keys, result } = await first.barrier.init({ shares: 1, threshold: 1 }, (tx) => writeFirstState(tx));
    nodes.#root = result;
    for (const { barrier } of nodes.services) await barrier.submit(Buffer.from(keys[0] ?? ''));
    return nodes;
  }

  /** By the next node, as root where no token is named. */
  async call(method: string, path: string, body?: object, token = this.#root): Promise<Reply> {
    const service = this.services[this.#turn++ % this.services.length] ?? assert.fail('there is a node');
    const lines = (name: string): readonly string[] => (name === 'x-service-token' ? [token] : []);
    const reply = await handle(service, {
      ...{ method, target: `/v1/${path}`, peer: '127.0.0.1', secure: false },
      headers: { lines, get: (name) => lines(name)[0] },
      body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
    });
    const text = String(reply.body ?? '');
    return { status: reply.status, json: text === '' ? undefined : JSON.parse(text) };
  }

  async ask(method: string, path: string, body?: object): Promise<unknown> {
    const { status, json } = await this.call(method, path, body);
    assert.ok(status < 300, `${method} ${path}: ${status} ${JSON.stringify(json)}`);
    return at(json, 'data');
  }

  async settle(): Promise<void> {
    for (const { jobs } of this.services) await jobs.settle();
  }
}

interface Lent {
  readonly name: string;
  readonly id: string;
}

/** A fresh mount of the lender; it takes back what is lent without fail. */
async function fresh(nodes: Nodes, mount: string): Promise<string> {
  await nodes.ask('POST', `sys/mounts/${mount}`, { type: 'lender' });
  return String(at(await nodes.ask('GET', `sys/mounts/${mount}`), 'uuid'));
}

const token = async (nodes: Nodes): Promise<string> =>
  String(
    at((await nodes.call('POST', 'auth/token/create', { policies: ['root'], ttl: '1h' })).json, 'auth', 'client_token'),
  );

/** Whether a lease is alive, as all that can tell do: the look-up and the engine that asks. */
async function lives(nodes: Nodes, mount: string, { name, id }: Lent): Promise<boolean> {
  const { status } = await nodes.call('POST', 'sys/leases/lookup', { lease_id: name });
  const { json } = await nodes.call('GET', `${mount}/lent/${id}`);
  assert.equal(at(json, 'data', 'lives') === true, status === 200, 'all agree');
  return status === 200;
}

async function allLive(nodes: Nodes, mount: string, lent: readonly Lent[], alive: boolean): Promise<void> {
  const found = await Promise.all(lent.map((one) => lives(nodes, mount, one)));
  assert.ok(
    found.every((one) => one === alive),
    `${found}`,
  );
}

async function allGone(nodes: Nodes, mount: string, lent: readonly Lent[]): Promise<void> {
  const found = await Promise.all(lent.map(({ id }) => nodes.call('GET', `${mount}/lent/${id}`)));
  assert.deepEqual(new Set(found.map(({ status }) => status)), new Set([404]), 'taken back');
}

/** Borrows again and again, each with a renewal behind it, while `end` is under way, and tells what came when. */
async function during(nodes: Nodes, mount: string, who: () => string | undefined, end: () => Promise<unknown>) {
  const [early, late]: [Lent[], Lent[]] = [[], []];
  let begun = false;
  let ended = false;
  const borrow = async (): Promise<void> => {
    const after = ended;
    const { status, json } = await nodes.call('POST', `${mount}/creds/r`, { ttl: 600 }, who());
    if (status !== 200) return assert.ok(status === 403 || status === 404, `${status}`);
    const one = { name: String(at(json, 'lease_id')), id: String(at(json, 'data', 'id')) };
    if (after) late.push(one);
    else if (!begun) early.push(one);
    const renewed = await nodes.call('POST', 'sys/leases/renew', { lease_id: one.name, increment: 900 });
    assert.ok(renewed.status === 200 || renewed.status === 400, `${renewed.status}`);
  };
  const all = Array.from({ length: AT_ONCE }, async (_, i) => {
    for (let round = 0; round < 2; round++) {
      if (i === 0 && round === 1) {
        begun = true;
        await end();
        ended = true;
      }
      await borrow();
    }
  });
  await Promise.all(all);
  return { early, late };
}

function races(open: () => Nodes): void {
  test('a token is revoked while it borrows: nothing that it borrowed lives', async () => {
    const nodes = open();
    await fresh(nodes, 'one');
    const borrower = await token(nodes);
    const { early, late } = await during(
      nodes,
      'one',
      () => borrower,
      () => nodes.ask('POST', 'auth/token/revoke', { token: borrower }),
    );
    assert.ok(early.length > 0);
    assert.deepEqual(late, []);
    await allLive(nodes, 'one', early, false);
    await nodes.settle();
    await allGone(nodes, 'one', early);
  });

  for (const way of ['prefix', 'force']) {
    test(`revoke-${way} while others borrow ends what was lent before, and nothing that is lent after`, async () => {
      const nodes = open();
      const mount = `by-${way}`;
      await fresh(nodes, mount);
      const { early, late } = await during(
        nodes,
        mount,
        () => undefined,
        () => nodes.ask('POST', `sys/leases/revoke-${way}/${mount}/creds`, {}),
      );
      assert.ok(early.length > 0 && late.length > 0);
      await allLive(nodes, mount, early, false);
      await allLive(nodes, mount, late, true);
      await nodes.settle();
      await allGone(nodes, mount, early);
      await allLive(nodes, mount, late, true);
    });
  }

  test('a mount is ended while others borrow, and made again: nothing of the old one is left', async () => {
    const nodes = open();
    const uuid = await fresh(nodes, 'again');
    const { early } = await during(
      nodes,
      'again',
      () => undefined,
      () => nodes.ask('DELETE', 'sys/mounts/again'),
    );
    assert.ok(early.length > 0);
    await fresh(nodes, 'again');
    await allLive(nodes, 'again', early, false);
    const [store] = nodes.stores;
    assert.ok(store !== undefined);
    const left = async () => (await allKeys(store, '')).filter((key) => key.includes(uuid));
    assert.ok((await left()).length > 0, 'so much does not go at once');
    await nodes.settle();
    assert.deepEqual(await left(), []);
    const lent = await nodes.ask('POST', 'again/creds/r', {});
    assert.equal((await nodes.call('GET', `again/lent/${String(at(lent, 'id'))}`)).status, 200);
  });

  test('none of it was a fault of the server', () => assert.deepEqual(open().failed, []));
}

describe('leases of three nodes on one store in memory', () => {
  let nodes: Nodes;
  before(async () => {
    const store = memoryStore();
    nodes = await Nodes.open([store, store, store]);
  });
  races(() => nodes);
});

describe('leases of three nodes on one database', { skip, timeout: 120_000 }, () => {
  let nodes: Nodes;
  let database: TestDatabase;
  before(async () => {
    database = await startDatabase('fsync=off');
    const { url } = database;
    nodes = await Nodes.open(await Promise.all([1, 2, 3].map(() => postgresStore({ url, schema: 'leases' }))));
  });
  after(async () => {
    for (const store of nodes.stores) await store.close();
    await database.stop();
  });
  races(() => nodes);
});
