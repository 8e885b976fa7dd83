import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { at } from '../../faults/client.ts';
import type { Asked } from './asker.ts';
import { assemble, ground, NODES, SHORT, type StoreKind, type Waits } from './ground.ts';
import type { Cluster, Node } from './node.ts';
import { ServerNode } from './server-node.ts';
import { WorkerNode } from './worker-node.ts';

/** Nodes that take requests and share a store: initialised, unsealed, and with KV version 2 at `secret/`. */
export interface ServerCluster extends Cluster<Node & Asked> {
  readonly root: string;
  /** Of the database, past the wires; empty without one. */
  readonly url: string;
}

/** On PostgreSQL three servers, each with a data folder of its own; on LMDB four workers of one server. */
export async function serverCluster(program: string, store: StoreKind, waits: Waits = SHORT): Promise<ServerCluster> {
  const base = await ground(store);
  let root = '';
  if (store === 'lmdb') {
    const flags = ['--data', dataFolder(base.folder), '--workers', String(NODES.lmdb)];
    const server = new ServerNode({ program, flags, environment: {}, wire: undefined });
    const workers = Array.from({ length: NODES.lmdb }, (_, i) => new WorkerNode(server, i, NODES.lmdb));
    const cluster = await assemble(base, workers, server, async () => {
      root = await open([server]);
    });
    return { ...cluster, root, url: base.url };
  }
  const servers = base.ways.map(({ wire, url }, i) => {
    const flags = ['--data', dataFolder(base.folder, i), '--storage', 'postgres', '--postgres-pool-size', '6'];
    for (const [name, millis] of Object.entries(waits)) flags.push(`--postgres-${name}-millis`, String(millis));
    return new ServerNode({ program, flags, environment: { KEYHOLD_POSTGRES_URL: url }, wire });
  });
  const cluster = await assemble(base, servers, undefined, async () => {
    root = await open(servers);
  });
  return { ...cluster, root, url: base.url };
}

function dataFolder(within: string, i = 0): string {
  const folder = join(within, String(i));
  mkdirSync(folder, { mode: 0o700 });
  return folder;
}

async function open(servers: readonly ServerNode[]): Promise<string> {
  const [first] = servers;
  if (first === undefined) throw new Error('there is no server');
  const body = { secret_shares: 1, secret_threshold: 1 };
  const { json } = await first.send({ method: 'PUT', path: 'sys/init', body });
  const token = at(json, 'root_token');
  const key = at(json, 'keys', '0');
  if (typeof token !== 'string' || typeof key !== 'string') throw new Error('a server could not be initialised');
  await Promise.all(servers.map((server) => server.unsealBy(key)));
  const mount = { type: 'kv', options: { version: '2' } };
  const { status } = await first.send({ method: 'POST', path: 'sys/mounts/secret', body: mount, token });
  if (status !== 204) throw new Error(`secret/ could not be mounted: ${status}`);
  return token;
}
