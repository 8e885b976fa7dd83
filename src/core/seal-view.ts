import type { SealStatus } from '../barrier/index.ts';
import type { Data } from '../framework/answer.ts';
import type { Schema } from '../framework/kinds/index.ts';
import { lookAtCluster } from './cluster.ts';
import type { Service } from './service.ts';

const text: Schema = { type: 'string' };
const count: Schema = { type: 'integer' };
const flag: Schema = { type: 'boolean' };

/** The members of sys/seal-status and sys/unseal. */
export const SEAL_SCHEMA: Readonly<Record<string, Schema>> = {
  type: { ...text, description: 'what keeps the root key: shamir, or a device' },
  initialized: flag,
  sealed: flag,
  t: { ...count, description: 'shares that it takes' },
  n: { ...count, description: 'shares that there are' },
  progress: { ...count, description: 'shares given in this round' },
  nonce: { ...text, description: 'names the round, to those who take part in it' },
  recovery_seal: flag,
  version: text,
  cluster_name: text,
  cluster_id: text,
};

/** The state of the seal on the wire; the cluster is named by a server that is open only. */
export const sealView = async (service: Service, status: SealStatus): Promise<Data> => ({
  ...status,
  version: service.settings.version,
  ...(!service.barrier.sealed && (await clusterView(service))),
});

/** Of an open server. */
export const clusterView = async (service: Service): Promise<Data> => ({
  cluster_name: service.settings.clusterName,
  cluster_id: (await lookAtCluster(service)).id,
});
