import type { SealedTransaction } from '../barrier/index.ts';
import { decodeRecord, encodeRecord } from '../framework/record.ts';
import type { Service } from './service.ts';

const CLUSTER = 'core/cluster';

interface ClusterRecord {
  readonly id: string;
}

/** Names the data of this cluster, once and for good. */
export function writeClusterId(tx: SealedTransaction, id: string): void {
  const record: ClusterRecord = { id };
  tx.put(CLUSTER, encodeRecord(record));
}

/** The cluster as the store tells it. */
export interface ClusterLook {
  /** The UUID of the cluster whose data this server holds; "" where the store has none. */
  readonly id: string;
  /** The store's clock, in milliseconds since 1970. */
  readonly now: number;
}

/** One read of the store. 503 while sealed, or where the store is away. */
export const lookAtCluster = ({ barrier }: Service): Promise<ClusterLook> =>
  barrier.transact(async (tx) => {
    const record = await tx.cached(CLUSTER, decodeRecord<ClusterRecord>);
    return { id: record?.id ?? '', now: tx.now };
  });
