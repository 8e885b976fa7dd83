import { assemble, ground, NODES, SHORT, type StoreKind } from './ground.ts';
import type { Cluster } from './node.ts';
import { type Opening, StoreNode } from './store-node.ts';

/** Processes that open a store of their own: four on LMDB, three on PostgreSQL. `program` is the compiled program. */
export async function storeCluster(program: string, store: StoreKind): Promise<Cluster<StoreNode>> {
  const base = await ground(store);
  const opening = (i: number): Opening =>
    store === 'lmdb'
      ? { store, folder: base.folder }
      : { store, url: base.ways[i]?.url ?? '', statementMillis: SHORT.statement, patienceMillis: SHORT.patience };
  const nodes = Array.from({ length: NODES[store] }, (_, i) => new StoreNode(program, opening(i), base.ways[i]?.wire));
  return assemble(base, nodes, undefined, async () => {});
}
