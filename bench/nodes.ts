// Requests over several processes: LMDB with 1, 2 and 4 workers, PostgreSQL with 1 and 3 nodes.
//
//   node dist/bench/nodes.js --load <load generator> [--rounds 3] [--seconds 2] [--connections 48]      (or LOAD=…)
//
// Linux only. Every round runs all of them one after the other; ratios to LMDB with one worker are taken within a round. Server,
// database and load share the machine, so with few cores more processes show what they cost, and not what they bring.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startDatabase } from '../src/storage/postgres/testing/server.ts';
import { at, HttpClient, ROOT } from '../test/faults/client.ts';
import { type Life, live } from '../test/faults/life.ts';
import { machine, median, table } from './figures.ts';

const WORKLOADS = ['token-lookup-self', 'kv-read', 'kv-write'] as const;
const SHARES = { secret_shares: 1, secret_threshold: 1 };

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { load: text, rounds: text, seconds: text, connections: text } });
const { rounds = '3', seconds = '2', connections = '48', load = process.env['LOAD'] } = values;
if (load === undefined) throw new Error('name the load generator: --load <path>, or LOAD=<path>');

const work = mkdtempSync(join(tmpdir(), 'keyhold-nodes-'));

/** Servers of one kind that share a store. */
interface Setting {
  readonly name: string;
  readonly token: string;
  readonly nodes: readonly Life[];
  /** Processes besides the servers whose time is theirs, too. */
  readonly database?: number;
}

interface Figure {
  readonly opsPerSecond: number;
  /** Of servers and database, in µs. */
  readonly cpuMicros: number;
}

const flags = (folder: string, ...more: readonly string[]): readonly string[] => [
  ...['--listen', '127.0.0.1:0', '--data', join(work, folder), ...more],
];

async function onLmdb(workers: number): Promise<Setting> {
  const name = `LMDB, ${workers} workers`;
  const node = await live(name, {
    runtime: ['--single-threaded-gc'],
    flags: flags(name, '--dev', '--dev-root-token-id', ROOT, '--workers', String(workers)),
  });
  return { name, token: ROOT, nodes: [node] };
}

async function onPostgres(count: number, database: { readonly url: string; pid(): number }): Promise<Setting> {
  const name = `PostgreSQL, ${count} nodes`;
  const shared = ['--storage', 'postgres', '--postgres-schema', `nodes_${count}`];
  const environment = { KEYHOLD_POSTGRES_URL: database.url };
  const nodes: Life[] = [];
  for (let i = 0; i < count; i++) {
    const runtime = ['--single-threaded-gc'];
    nodes.push(await live(name, { runtime, environment, flags: flags(`${name} ${i}`, ...shared) }));
  }
  const [first] = nodes;
  if (first === undefined) throw new Error('at least one node');
  const made = (await send(first, '', 'sys/init', SHARES)).json;
  for (const node of nodes) await send(node, '', 'sys/unseal', { key: at(made, 'keys', '0') });
  return { name, token: String(at(made, 'root_token')), nodes, database: database.pid() };
}

async function send(node: Life, token: string, path: string, body: unknown) {
  const client = new HttpClient(node.url);
  const reply = await client.send({ method: 'POST', path, token, body });
  client.close();
  if (reply.status >= 300) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.json)}`);
  return reply;
}

/** One workload on all nodes at once, each with its part of the connections. */
async function measure({ name, nodes, token, database }: Setting, workload: string): Promise<Figure> {
  const before = database === undefined ? 0 : cpuOfTree(database);
  const parts = await Promise.all(
    nodes.map((node, i) => generate(node, token, workload, `${name}-${i}`, nodes.length)),
  );
  const after = database === undefined ? 0 : cpuOfTree(database);
  const ops = parts.reduce((sum, part) => sum + part.ops, 0);
  const cpu = parts.reduce((sum, part) => sum + part.cpuMicros * part.ops, 0);
  return {
    opsPerSecond: parts.reduce((sum, part) => sum + part.opsPerSecond, 0),
    // The database worked during the warming up and the filling as well, so this is a little too much.
    cpuMicros: (cpu + (after - before) * 1e6) / ops,
  };
}

async function generate(node: Life, token: string, workload: string, name: string, parts: number) {
  const report = join(work, `${name}.json`.replaceAll(' ', ''));
  const generator = spawn(
    load ?? '',
    [
      ...['--addr', new URL(node.url).host, '--pid', String(node.pid), '--token', token, '--header', 'X-Service-Token'],
      ...['--no-default-policy', '--cleanup', '--rounds', '1', '--seconds', seconds, '--json', report],
      ...['--concurrency', String(Math.ceil(Number(connections) / parts)), '--only', workload],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const [code] = await once(generator, 'exit');
  if (code !== 0) throw new Error(`the load generator ended with ${code}`);
  const json: unknown = JSON.parse(readFileSync(report, 'utf8'));
  const [row] = Object.values(Object(at(json, 'rows')));
  const figure = (field: string): number => Number(at(row, 'median', field));
  if (figure('errors') > 0) throw new Error(`${name}, ${workload}: ${at(row, 'median', 'first_error')}`);
  return {
    ops: figure('ops'),
    opsPerSecond: figure('ops_per_s'),
    cpuMicros: figure('server_cpu_s_per_1000_ops') * 1000,
  };
}

/** Seconds of processor that a process and all its children have used (proc_pid_stat(5), fields 14 and 15). */
function cpuOfTree(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const own = (Number(fields[11]) + Number(fields[12])) / 100;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return children.reduce((sum, child) => sum + cpuOfTree(child), own);
}

const settings: Setting[] = [];
const database = await startDatabase();
try {
  console.log(machine());
  for (const workers of [1, 2, 4]) settings.push(await onLmdb(workers));
  for (const nodes of [1, 3]) settings.push(await onPostgres(nodes, database));
  const taken = new Map<string, Figure[]>();
  for (let round = 0; round < Number(rounds); round++) {
    for (const workload of WORKLOADS) {
      for (const setting of settings) {
        const key = `${workload} ${setting.name}`;
        taken.set(key, [...(taken.get(key) ?? []), await measure(setting, workload)]);
      }
    }
  }
  const rows = WORKLOADS.flatMap((workload) =>
    settings.map(({ name }) => {
      const own = taken.get(`${workload} ${name}`) ?? [];
      const base = taken.get(`${workload} ${settings[0]?.name}`) ?? [];
      const ratios = own.map(({ opsPerSecond }, i) => opsPerSecond / (base[i]?.opsPerSecond ?? Number.NaN));
      return [
        workload,
        name,
        median(own.map(({ opsPerSecond }) => opsPerSecond)).toFixed(0),
        `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
        median(own.map(({ cpuMicros }) => cpuMicros)).toFixed(0),
      ];
    }),
  );
  console.log(`\n${table([['workload', 'servers', 'ops/s', 'ratio', 'CPU µs'], ...rows])}`);
} finally {
  await Promise.all(settings.flatMap(({ nodes }) => nodes.map((node) => node.end('SIGTERM'))));
  await database.stop();
  rmSync(work, { recursive: true, force: true });
}
