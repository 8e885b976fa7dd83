import { at, type Call, type Client } from '../client.ts';
import type { Random } from '../random.ts';
import { type Operation, type Subject, Violation } from '../witness.ts';

type Data = Readonly<Record<string, string>>;

interface Version {
  readonly number: number;
  readonly data: Data;
  readonly deleted: boolean;
  readonly destroyed: boolean;
}

/** A KV secret (document 3, "States and transitions"); `versions` are those that are kept, ascending. */
export interface SecretState {
  readonly exists: boolean;
  readonly current: number;
  readonly maxVersions: number;
  readonly custom: Data | null;
  readonly versions: readonly Version[];
}

const ABSENT: SecretState = { exists: false, current: 0, maxVersions: 0, custom: null, versions: [] };
const DEFAULT_VERSIONS = 10;
const MERGE_PATCH = 'application/merge-patch+json';

/** A KV v2 secret at `path` of the mount `secret/`: written, patched, deleted, brought back, destroyed, removed. */
export function secret(path: string): Subject<SecretState> {
  const call = (method: string, kind: string, body?: unknown): Call => ({
    method,
    path: `secret/${kind}/${path}`,
    ...(body === undefined ? {} : { body }),
  });
  const versions = (state: SecretState, random: Random): readonly number[] =>
    [1, 2, 3].map(() => 1 + Math.max(0, state.current - DEFAULT_VERSIONS) + random.below(DEFAULT_VERSIONS + 1));

  const write = (state: SecretState, random: Random): Operation<SecretState> => {
    const data = randomData(random);
    const options = random.once(2) ? {} : { options: { cas: state.current } };
    return { call: call('POST', 'data', { data, ...options }), status: 200, after: grown(state, data) };
  };
  const staleWrite = (state: SecretState): Operation<SecretState> => {
    const body = { data: { stale: 'x' }, options: { cas: state.current + 1 } };
    return { call: call('POST', 'data', body), status: 400, after: state };
  };
  const patch = (state: SecretState, random: Random): Operation<SecretState> => {
    const data = randomData(random);
    const request: Call = { ...call('PATCH', 'data', { data }), contentType: MERGE_PATCH };
    const latest = state.versions.at(-1);
    if (latest === undefined || latest.deleted || latest.destroyed) return { call: request, status: 404, after: state };
    return { call: request, status: 200, after: grown(state, { ...latest.data, ...data }) };
  };
  const change = (
    state: SecretState,
    request: Call,
    numbers: readonly number[],
    to: Partial<Version>,
  ): Operation<SecretState> => {
    const after = state.versions.map((version) =>
      version.destroyed || !numbers.includes(version.number) ? version : { ...version, ...to },
    );
    return { call: request, status: 204, after: { ...state, versions: after } };
  };
  const operations = [
    ...[write, write, write, write, patch, patch, staleWrite],
    (state: SecretState) => change(state, call('DELETE', 'data'), [state.current], { deleted: true }),
    (state: SecretState, random: Random) => {
      const numbers = versions(state, random);
      return change(state, call('POST', 'delete', { versions: numbers }), numbers, { deleted: true });
    },
    (state: SecretState, random: Random) => {
      const numbers = versions(state, random);
      return change(state, call('POST', 'undelete', { versions: numbers }), numbers, { deleted: false });
    },
    (state: SecretState, random: Random) => {
      const numbers = versions(state, random);
      return change(state, call('PUT', 'destroy', { versions: numbers }), numbers, { destroyed: true });
    },
    (state: SecretState, random: Random): Operation<SecretState> => {
      const custom = { note: String(random.below(1e9)) };
      const maxVersions = 1 + random.below(12);
      const body = { max_versions: maxVersions, custom_metadata: custom };
      return {
        call: call('POST', 'metadata', body),
        status: 204,
        after: { ...state, exists: true, maxVersions, custom },
      };
    },
    (state: SecretState, random: Random): Operation<SecretState> =>
      random.once(4) ? { call: call('DELETE', 'metadata'), status: 204, after: ABSENT } : write(state, random),
  ];

  return {
    name: `secret ${path}`,
    first: ABSENT,
    operation: (state, random) => random.pick(operations)(state, random),
    view: (state) => ({
      ...state,
      versions: state.versions.map((version) =>
        version.deleted || version.destroyed ? { ...version, data: {} } : version,
      ),
    }),
    observe: (client) => observe(client, path),
  };
}

function grown(state: SecretState, data: Data): SecretState {
  const number = state.current + 1;
  const versions = [...state.versions, { number, data, deleted: false, destroyed: false }];
  return {
    ...state,
    exists: true,
    current: number,
    versions: versions.slice(-(state.maxVersions || DEFAULT_VERSIONS)),
  };
}

/** Of one record, or of several pages of the store. */
function randomData(random: Random): Data {
  const length = random.once(8) ? random.below(20_000) : random.below(200);
  return { [`m${random.below(4)}`]: String(random.below(1e9)).padEnd(length, 'x'), n: String(random.below(1e9)) };
}

async function observe(client: Client, path: string): Promise<SecretState> {
  const { status, json } = await client.send({ method: 'GET', path: `secret/metadata/${path}` });
  if (status === 404) return ABSENT;
  const shown = Object.entries(Object(at(json, 'data', 'versions'))).sort(([a], [b]) => Number(a) - Number(b));
  const versions: Version[] = [];
  for (const [number, version] of shown) {
    const deleted = at(version, 'deletion_time') !== '';
    const destroyed = at(version, 'destroyed') === true;
    const read = await client.send({ method: 'GET', path: `secret/data/${path}?version=${number}` });
    if (
      read.status !== (deleted || destroyed ? 404 : 200) ||
      at(read.json, 'data', 'metadata', 'version') !== Number(number)
    )
      throw new Violation(`secret ${path}: version ${number} is listed but reads as ${read.status}`, { version, json });
    versions.push({ number: Number(number), data: { ...Object(at(read.json, 'data', 'data')) }, deleted, destroyed });
  }
  const custom = at(json, 'data', 'custom_metadata');
  return {
    exists: true,
    current: Number(at(json, 'data', 'current_version')),
    maxVersions: Number(at(json, 'data', 'max_versions')),
    custom: custom === null ? null : { ...Object(custom) },
    versions,
  };
}
