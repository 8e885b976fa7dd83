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

/** It never changes, so each service reads it once: health is asked often. */
const known = new WeakMap<Service, string>();

/** The UUID of the cluster whose data this server holds; "" where the store has none. 503 while sealed. */
export async function clusterId(service: Service): Promise<string> {
  const id = known.get(service);
  if (id !== undefined) return id;
  const record = await service.barrier.transact((tx) => tx.get(CLUSTER));
  if (record === undefined) return '';
  const read = decodeRecord<ClusterRecord>(record).id;
  known.set(service, read);
  return read;
}
