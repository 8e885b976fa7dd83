import { status } from '../status.ts';

/** Nobody leads: a store is opened by one server, which serves all requests ("architecture §4"). */
export const leader = status(
  'read',
  'leader',
  {
    summary: 'Whether there are other nodes, and which of them leads',
    params: {},
    answer: {
      ha_enabled: { type: 'boolean' },
      is_self: { type: 'boolean' },
      leader_address: { type: 'string' },
      leader_cluster_address: { type: 'string' },
      performance_standby: { type: 'boolean' },
    },
  },
  () => ({
    data: {
      ha_enabled: false,
      is_self: false,
      leader_address: '',
      leader_cluster_address: '',
      performance_standby: false,
    },
  }),
);
