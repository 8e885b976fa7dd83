import { at } from '../client.ts';
import type { Operation, Subject } from '../witness.ts';

/** The secrets of a mount by their names; undefined where nothing is mounted. */
export type MountState = Readonly<Record<string, string>> | undefined;

const NAMES = 40;

/** A mount of KV v2: enabled, filled, disabled. One that is enabled again is empty at once. */
export const mount = (path: string): Subject<MountState> => ({
  name: `mount ${path}`,
  first: undefined,
  operation(state, random): Operation<MountState> {
    const place = `sys/mounts/${path}`;
    if (state === undefined) {
      const body = { type: 'kv', options: { version: '2' } };
      return { call: { method: 'POST', path: place, body }, status: 204, after: {} };
    }
    if (random.once(20)) return { call: { method: 'DELETE', path: place }, status: 204, after: undefined };
    const name = `s${random.below(NAMES)}`;
    const value = String(random.below(1e9));
    const call = { method: 'POST', path: `${path}/data/${name}`, body: { data: { value } } };
    return { call, status: 200, after: { ...state, [name]: value } };
  },
  view: (state) => state,
  async observe(client) {
    const mounts = await client.send({ method: 'GET', path: 'sys/mounts' });
    if (at(mounts.json, 'data', `${path}/`) === undefined) return undefined;
    const { json } = await client.send({ method: 'LIST', path: `${path}/metadata` });
    const found: Record<string, string> = {};
    for (const name of Object.values(Object(at(json, 'data', 'keys') ?? []))) {
      const read = await client.send({ method: 'GET', path: `${path}/data/${name}` });
      found[String(name)] = String(at(read.json, 'data', 'data', 'value'));
    }
    return found;
  },
});
