import { at, type Client } from '../client.ts';
import type { Random } from '../random.ts';
import type { Operation, Subject } from '../witness.ts';

type Secrets = Readonly<Record<string, readonly string[]>>;

/** A KV mount of one of its versions, with the values of all versions of its secrets; undefined where nothing is mounted. */
export type UpgradeState = { readonly version: '1' | '2'; readonly secrets: Secrets } | undefined;

const NAMES = 8;
const KEPT = 10;

/** A mount of KV version 1: filled, tuned to version 2, written to again. The upgrade is whole or has not happened. */
export const upgrade = (path: string): Subject<UpgradeState> => ({
  name: `upgrade ${path}`,
  first: undefined,
  operation(state, random): Operation<UpgradeState> {
    const place = `sys/mounts/${path}`;
    if (state === undefined) {
      const call = { method: 'POST', path: place, body: { type: 'kv' } };
      return { call, status: 204, after: { version: '1', secrets: {} } };
    }
    if (random.once(60)) return { call: { method: 'DELETE', path: place }, status: 204, after: undefined };
    return state.version === '1' ? inFirst(path, state.secrets, random) : inSecond(path, state.secrets, random);
  },
  view: (state) => state && { version: state.version, secrets: Object.entries(state.secrets).map(shown).sort() },
  async observe(client) {
    const { json } = await client.send({ method: 'GET', path: 'sys/mounts' });
    const mount = at(json, 'data', `${path}/`);
    if (mount === undefined) return undefined;
    const version = at(mount, 'options', 'version') === '2' ? '2' : '1';
    const listed = await client.send({ method: 'LIST', path: version === '2' ? `${path}/metadata` : path });
    const names = Object.values(Object(at(listed.json, 'data', 'keys') ?? [])).map(String);
    const secrets = await Promise.all(
      names.map(async (name) => (version === '2' ? versionsOf(client, path, name) : plain(client, path, name))),
    );
    return { version, secrets: secrets.sort() };
  },
});

function inFirst(path: string, secrets: Secrets, random: Random): Operation<UpgradeState> {
  if (random.once(15)) {
    const call = { method: 'POST', path: `sys/mounts/${path}/tune`, body: { options: { version: '2' } } };
    return { call, status: 204, after: { version: '2', secrets } };
  }
  const name = `s${random.below(NAMES)}`;
  if (random.once(6)) {
    const { [name]: _, ...rest } = secrets;
    const call = { method: 'DELETE', path: `${path}/${name}` };
    return { call, status: 204, after: { version: '1', secrets: rest } };
  }
  const value = String(random.below(1e9));
  const call = { method: 'POST', path: `${path}/${name}`, body: { value } };
  return { call, status: 204, after: { version: '1', secrets: { ...secrets, [name]: [value] } } };
}

function inSecond(path: string, secrets: Secrets, random: Random): Operation<UpgradeState> {
  const name = `s${random.below(NAMES)}`;
  const value = String(random.below(1e9));
  const call = { method: 'POST', path: `${path}/data/${name}`, body: { data: { value } } };
  const values = [...(secrets[name] ?? []), value];
  return { call, status: 200, after: { version: '2', secrets: { ...secrets, [name]: values } } };
}

/** A secret in one line: its name, the number of its latest version, the values of those that are kept. */
const shown = ([name, values]: readonly [string, readonly string[]]): string =>
  [name, values.length, ...values.slice(-KEPT)].join(' ');

async function plain(client: Client, path: string, name: string): Promise<string> {
  const { json } = await client.send({ method: 'GET', path: `${path}/${name}` });
  return shown([name, [String(at(json, 'data', 'value'))]]);
}

async function versionsOf(client: Client, path: string, name: string): Promise<string> {
  const { json } = await client.send({ method: 'GET', path: `${path}/metadata/${name}` });
  const current = Number(at(json, 'data', 'current_version'));
  const values: string[] = [];
  for (let version = Math.max(1, current - KEPT + 1); version <= current; version++) {
    const read = await client.send({ method: 'GET', path: `${path}/data/${name}?version=${version}` });
    values.push(String(at(read.json, 'data', 'data', 'value')));
  }
  return [name, current, ...values].join(' ');
}
