import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDatabase } from '../../../src/storage/postgres/testing/server.ts';
import { faultsOf } from './database.ts';
import type { Cluster, Database, Node } from './node.ts';
import { startWire, type Wire } from './wire.ts';

export type StoreKind = 'lmdb' | 'postgres';

/** How long a node waits for one statement, and for a database that is away; milliseconds. */
export interface Waits {
  readonly statement: number;
  readonly patience: number;
}

/** Shorter than the longest pauses, so that statements are given up too. */
export const SHORT: Waits = { statement: 800, patience: 400 };

/** As many nodes as share a store where it is used: workers of one machine, or machines. */
export const NODES: Readonly<Record<StoreKind, number>> = { lmdb: 4, postgres: 3 };

/** What the nodes of a cluster stand on. */
export interface Ground {
  readonly folder: string;
  /** One for each node, with the address of the database behind it; none without a database. */
  readonly ways: readonly { readonly wire: Wire; readonly url: string }[];
  readonly database: Database | undefined;
  /** Of the database, past the wires. */
  readonly url: string;
  stop(): Promise<void>;
}

export async function ground(store: StoreKind): Promise<Ground> {
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

/** Starts the nodes and makes them ready. `whole` is what the nodes are parts of, where they are. */
export async function assemble<N extends Node>(
  base: Ground,
  nodes: readonly N[],
  whole: Node | undefined,
  ready: () => Promise<void>,
): Promise<Cluster<N>> {
  const parts: readonly Node[] = whole === undefined ? nodes : [whole];
  const stop = async (): Promise<void> => {
    await Promise.all(parts.map((node) => node.kill()));
    await base.stop();
  };
  try {
    // The first makes what they share.
    await parts[0]?.start();
    await Promise.all(parts.slice(1).map((node) => node.start()));
    await ready();
  } catch (error) {
    await stop();
    throw error;
  }
  return { nodes, whole, database: base.database, stop };
}
