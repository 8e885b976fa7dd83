import type { SealedTransaction } from '../barrier/index.ts';
import { decodeRecord, encodeRecord } from '../framework/record.ts';
import type { Service } from './service.ts';
import { soon } from './soon.ts';

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

/** Health is asked often, and by many: a look is good for all who ask within this time, unless it fails. */
const LOOK_MILLIS = 200;

interface Look {
  /** When it was begun, and what to add for the store's time, both to the monotonic clock in milliseconds. */
  readonly begun: number;
  readonly found: Promise<{ readonly id: string; readonly ahead: number }>;
}

const looks = new WeakMap<Service, Look>();

/** Reads the store, at most five times a second. 503 while sealed, or where the store is away. */
export async function lookAtCluster(service: Service): Promise<ClusterLook> {
  const known = looks.get(service);
  const look = known !== undefined && performance.now() - known.begun < LOOK_MILLIS ? known : begin(service);
  const { id, ahead } = await look.found;
  return { id, now: ahead + performance.now() };
}

function begin(service: Service): Look {
  const read = service.barrier.transact(async (tx) => {
    const record = await tx.cached(CLUSTER, decodeRecord<ClusterRecord>);
    return { id: record?.id ?? '', ahead: tx.now - performance.now() };
  });
  const look = { begun: performance.now(), found: soon(read) };
  looks.set(service, look);
  look.found.catch(() => looks.delete(service));
  return look;
}
