import { lookAtCluster } from '../../core/cluster.ts';
import { soon } from '../../core/soon.ts';
import { bool, describe, int } from '../../framework/kinds/index.ts';
import { status } from '../status.ts';

const code = (fallback: number, when: string) => describe(int(fallback, { min: 200, max: 599 }), `status ${when}`);
const flag = { type: 'boolean' } as const;
const text = { type: 'string' } as const;

/** The statuses are those of the family; load balancers ask for others by query (4-open-points, Conventions). */
export const health = status(
  'read',
  'health',
  {
    summary: 'Whether the server is open, in the status',
    params: {
      activecode: code(200, 'of a server that is open'),
      sealedcode: code(503, 'of one that is sealed'),
      uninitcode: code(501, 'of one that is not initialized'),
      standbycode: code(429, 'of a standby: there are none'),
      drsecondarycode: code(472, 'of a secondary for disaster recovery: there are none'),
      performancestandbycode: code(473, 'of a performance standby: there are none'),
      standbyok: describe(bool(false), 'whether a standby answers as an open one does'),
      perfstandbyok: describe(bool(false), 'whether a performance standby answers as an open one does'),
    },
    answer: {
      initialized: flag,
      sealed: flag,
      standby: flag,
      performance_standby: flag,
      server_time_utc: { type: 'integer', description: 'seconds since 1970, by the store’s clock while it is open' },
      version: text,
      cluster_name: text,
      cluster_id: text,
    },
  },
  // The store is asked of an open server too: a server without it serves nobody, and a load balancer should know.
  async ({ activecode, sealedcode, uninitcode }, { service }) => {
    const { barrier, settings } = service;
    const cluster = barrier.sealed ? undefined : await lookAtCluster(service);
    const initialized = cluster !== undefined || (await soon(barrier.initialized()));
    return {
      status: cluster !== undefined ? activecode : initialized ? sealedcode : uninitcode,
      data: {
        initialized,
        sealed: cluster === undefined,
        standby: false,
        performance_standby: false,
        server_time_utc: Math.floor((cluster?.now ?? Date.now()) / 1_000),
        version: settings.version,
        ...(cluster !== undefined && { cluster_name: settings.clusterName, cluster_id: cluster.id }),
      },
    };
  },
);
