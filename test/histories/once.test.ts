import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client as Database } from 'pg';
import { lmdbStore } from '../../src/storage/lmdb.ts';
import { memoryStore } from '../../src/storage/memory.ts';
import { skip } from '../../src/storage/postgres/testing/server.ts';
import type { Call, Client, Reply } from '../faults/client.ts';
import { type InProcess, inProcess } from './in-process.ts';
import type { StoreKind } from './nodes/ground.ts';
import { serverCluster } from './nodes/server-cluster.ts';

const CROWD = 64;

/** Servers that share a store; requests are spread over all of them. */
interface Crowd {
  readonly servers: readonly Client[];
  readonly root: string | undefined;
  /** How often a transaction lost a race, so far; undefined where nobody can tell. */
  readonly losses: (() => Promise<number>) | undefined;
  stop(): Promise<void>;
}

const alone = (one: InProcess): Crowd => ({
  servers: [one],
  root: undefined,
  losses: async () => one.losses(),
  stop: () => one.stop(),
});

async function onLmdb(): Promise<Crowd> {
  const folder = mkdtempSync(join(tmpdir(), 'keyhold-once-'));
  const crowd = alone(await inProcess(lmdbStore(folder)));
  const stop = async (): Promise<void> => {
    await crowd.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ...crowd, stop };
}

/** Nodes of their own processes, over HTTP. What a database keeps of each call tells which of its transactions lost. */
async function overNodes(store: StoreKind): Promise<Crowd> {
  const program = fileURLToPath(new URL('../../', import.meta.url));
  const cluster = await serverCluster(program, store, { statement: 20_000, patience: 10_000 });
  const database = cluster.url === '' ? undefined : new Database(cluster.url);
  await database?.connect();
  const losses = async (): Promise<number> => {
    const found = await database?.query('SELECT count(*) FROM keyhold.calls, unnest(applied) won WHERE NOT won');
    return Number(found?.rows[0].count);
  };
  const stop = async (): Promise<void> => {
    await database?.end();
    await cluster.stop();
  };
  return { servers: cluster.nodes, root: cluster.root, losses: database && losses, stop };
}

for (const [where, skipped, open] of [
  ['memory', false, async () => alone(await inProcess(memoryStore()))],
  ['LMDB', false, onLmdb],
  ['LMDB, over four workers', false, () => overNodes('lmdb')],
  ['PostgreSQL, over three nodes', skip, () => overNodes('postgres')],
] as const) {
  describe(`${CROWD} requests at once on ${where}`, { skip: skipped, timeout: 120_000 }, () => {
    let crowd: Crowd;
    before(async () => {
      if (skipped === false) crowd = await open();
    });
    after(() => crowd?.stop());

    const send = (i: number, call: Call): Promise<Reply> => {
      const server = crowd.servers[i % crowd.servers.length];
      if (server === undefined) throw new Error('there is no server');
      return server.send({ ...(crowd.root === undefined ? {} : { token: crowd.root }), ...call });
    };
    /** How many were answered with each status. */
    const all = async (make: (i: number) => Call): Promise<Readonly<Record<number, number>>> => {
      const counts: Record<number, number> = {};
      const replies = await Promise.all(Array.from({ length: CROWD }, (_, i) => send(i, make(i))));
      for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
      return counts;
    };
    const create = (id: string, more: object = {}): Call => ({
      method: 'POST',
      path: 'auth/token/create',
      body: { id, policies: ['default'], ...more },
    });

    test('use a token of five uses: exactly five do', async () => {
      for (const name of ['five', 'another-five']) {
        assert.equal((await send(0, create(name, { num_uses: 5 }))).status, 200);
        const statuses = await all(() => ({ method: 'GET', path: 'auth/token/lookup-self', token: name }));
        assert.deepEqual(statuses, { 200: 5, 403: CROWD - 5 });
      }
    });

    test('compare and set: one wins each time', async () => {
      const path = 'secret/data/contended';
      for (const cas of [0, 1, 2]) {
        const statuses = await all((i) => ({ method: 'POST', path, body: { data: { i }, options: { cas } } }));
        assert.deepEqual(statuses, { 200: 1, 400: CROWD - 1 });
      }
    });

    test('create one token each: all are made, and none lost a race', async () => {
      const before = await crowd.losses?.();
      assert.deepEqual(await all((i) => create(`own-${i}`)), { 200: CROWD });
      assert.equal(await crowd.losses?.(), before);
      const uses = await all((i) => ({ method: 'GET', path: 'auth/token/lookup-self', token: `own-${i}` }));
      assert.deepEqual(uses, { 200: CROWD });
    });

    test('create the same token: one does, and the losses are counted', async () => {
      const before = await crowd.losses?.();
      assert.deepEqual(await all(() => create('the-same')), { 200: 1, 400: CROWD - 1 });
      const after = await crowd.losses?.();
      if (before !== undefined && after !== undefined) assert.ok(after > before, 'the measure can show losses');
    });
  });
}
