import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDatabase } from '../../../src/storage/postgres/testing/server.ts';
import { at } from '../../faults/client.ts';
import { faultsOf } from './database.ts';
import type { Cluster, Node } from './node.ts';
import { ServerNode } from './server-node.ts';
import { type Opening, StoreNode } from './store-node.ts';
import { startWire, type Wire } from './wire.ts';

export type StoreKind = 'lmdb' | 'postgres';

/** How long a node waits for one statement, and for a database that is away; milliseconds. */
export interface Waits {
  readonly statement: number;
  readonly patience: number;
}

/** Shorter than the longest pauses, so that statements are given up too. */
const SHORT: Waits = { statement: 800, patience: 400 };

/** As many nodes as share a store where it is used: workers of one machine, or machines. */
const NODES: Readonly<Record<StoreKind, number>> = { lmdb: 4, postgres: 3 };

interface Ground {
  readonly folder: string;
  /** One for each node, with the address of the database behind it; none without a database. */
  readonly ways: readonly { readonly wire: Wire; readonly url: string }[];
  readonly database: Cluster<Node>['database'];
  readonly url: string;
  stop(): Promise<void>;
}

async function ground(store: StoreKind): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'keyhold-histories-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  if (store === 'lmdb') return { folder, ways: [], database: undefined, url: '', stop: async () => remove() };
  const database = await startDatabase('max_connections=60');
  const ways = await Promise.all(
    Array.from({ length: NODES.postgres }, async () => {
      const wire = await startWire(database.port);
      return { wire, url: database.url.replace(`:${database.port}/`, `:${wire.port}/`) };
    }),
  );
  const stop = async (): Promise<void> => {
    for (const { wire } of ways) wire.stop();
    await database.stop();
    remove();
  };
  return { folder, ways, database: faultsOf(database), url: database.url, stop };
}

async function assemble<N extends Node>(
  base: Ground,
  nodes: readonly N[],
  ready: () => Promise<void>,
): Promise<Cluster<N>> {
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.kill()));
    await base.stop();
  };
  try {
    // The first makes what they share.
    await nodes[0]?.start();
    await Promise.all(nodes.slice(1).map((node) => node.start()));
    await ready();
  } catch (error) {
    await stop();
    throw error;
  }
  return { nodes, database: base.database, stop };
}

/** Processes that open a store of their own: four on LMDB, three on PostgreSQL. `program` is the compiled program. */
export async function storeCluster(program: string, store: StoreKind): Promise<Cluster<StoreNode>> {
  const base = await ground(store);
  const opening = (i: number): Opening =>
    store === 'lmdb'
      ? { store, folder: base.folder }
      : { store, url: base.ways[i]?.url ?? '', statementMillis: SHORT.statement, patienceMillis: SHORT.patience };
  const nodes = Array.from({ length: NODES[store] }, (_, i) => new StoreNode(program, opening(i), base.ways[i]?.wire));
  return assemble(base, nodes, async () => {});
}

/** Servers that share a database, initialised, unsealed, and with KV version 2 at `secret/`. */
export interface ServerCluster extends Cluster<ServerNode> {
  readonly root: string;
  /** Of the database, past the wires. */
  readonly url: string;
}

/** Three servers on one PostgreSQL, each with a data folder of its own. */
export async function serverCluster(program: string, waits: Waits = SHORT): Promise<ServerCluster> {
  const base = await ground('postgres');
  const nodes = base.ways.map(({ wire, url }, i) => {
    const data = join(base.folder, String(i));
    mkdirSync(data, { mode: 0o700 });
    const flags = ['--data', data, '--storage', 'postgres', '--postgres-pool-size', '6'];
    for (const [name, millis] of Object.entries(waits)) flags.push(`--postgres-${name}-millis`, String(millis));
    return new ServerNode({ program, flags, environment: { KEYHOLD_POSTGRES_URL: url }, wire });
  });
  let root = '';
  const cluster = await assemble(base, nodes, async () => {
    root = await open(nodes);
  });
  return { ...cluster, root, url: base.url };
}

async function open(nodes: readonly ServerNode[]): Promise<string> {
  const [first] = nodes;
  if (first === undefined) throw new Error('there is no server');
  const body = { secret_shares: 1, secret_threshold: 1 };
  const { json } = await first.send({ method: 'PUT', path: 'sys/init', body });
  const token = at(json, 'root_token');
  const key = at(json, 'keys', '0');
  if (typeof token !== 'string' || typeof key !== 'string') throw new Error('a server could not be initialised');
  await Promise.all(nodes.map((node) => node.unsealBy(key)));
  const mount = { type: 'kv', options: { version: '2' } };
  const { status } = await first.send({ method: 'POST', path: 'sys/mounts/secret', body: mount, token });
  if (status !== 204) throw new Error(`secret/ could not be mounted: ${status}`);
  return token;
}
