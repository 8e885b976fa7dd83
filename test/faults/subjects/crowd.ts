import type { Client } from '../client.ts';
import type { Operation, Subject } from '../witness.ts';

/** Tokens that were given out below one path since all there were ended together the last time. */
export interface CrowdState {
  /** Whether the path is there. */
  readonly opened: boolean;
  readonly generation: number;
  readonly members: number;
}

const RECENT = 1;
const MOST = 6;

/** Tokens below a path, some at a time, which a revocation by that path ends: they stay dead, and those after it live. */
export function crowd(name: string): Subject<CrowdState> {
  const role = `auth/token/roles/${name}`;
  const path = `auth/token/create/${name}`;
  const idOf = (generation: number, member: number): string => `${name}-${generation}-${member}`;
  return {
    name: `crowd ${name}`,
    first: { opened: false, generation: 0, members: 0 },
    operation({ opened, generation, members }, random): Operation<CrowdState> {
      const state = { opened: true, generation, members };
      if (!opened) {
        const call = { method: 'POST', path: role, body: { allowed_policies: ['default'] } };
        return { call, status: 204, after: state };
      }
      if (members === MOST || (members > 0 && random.once(6))) {
        const word = random.pick(['revoke-prefix', 'revoke-force']);
        const call = { method: 'PUT', path: `sys/leases/${word}/${path}`, body: {} };
        return { call, status: 204, after: { ...state, generation: generation + 1, members: 0 } };
      }
      const body = { id: idOf(generation, members), policies: ['default'], ttl: '24h' };
      return { call: { method: 'POST', path, body }, status: 200, after: { ...state, members: members + 1 } };
    },
    view: ({ opened, generation, members }) => [
      opened,
      ...Array.from({ length: members }, (_, i) => idOf(generation, i)),
    ],
    async observe(client, { generation }, whole) {
      const found: unknown[] = [(await client.send({ method: 'GET', path: role })).status === 200];
      for (let g = whole ? 0 : Math.max(0, generation - RECENT); g <= generation + 1; g++) {
        for (let i = 0; i <= MOST; i++) if (await lives(client, idOf(g, i))) found.push(idOf(g, i));
      }
      return found;
    },
  };
}

async function lives(client: Client, token: string): Promise<boolean> {
  return (await client.send({ method: 'POST', path: 'auth/token/lookup', body: { token } })).status === 200;
}
