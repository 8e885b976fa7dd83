// CPU time of requests relative to sys/health, against the budgets, and how many durable writes share a sync.
//
//   node dist/bench/run.js --load <load generator> [--rounds 5] [--seconds 3] [--connections 16]      (or LOAD=…)
//
// Linux only. Every round runs all workloads one after the other; ratios are taken within a round, then their median.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { at, ROOT } from '../test/faults/client.ts';
import { type Life, live } from '../test/faults/life.ts';
import { machine, median, table } from './figures.ts';
import { writesPerSync } from './syncs.ts';

const CREATE = 'token-create';

/** The budgets: CPU of a request in multiples of that of the base. */
const BUDGETS = [
  { workload: 'health', base: 'bare', budget: 0.5 },
  { workload: 'token-lookup-self', base: 'health', budget: 3 },
  { workload: 'kv-read', base: 'health', budget: 5 },
  { workload: 'kv-write', base: 'health', budget: 12 },
  { workload: 'kv-list', base: 'health', budget: 8 },
  { workload: CREATE, base: 'health', budget: 14 },
] as const;
const LEAST_WRITES_PER_SYNC = 10;
const IN_FLIGHT = 64;

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { load: text, rounds: text, seconds: text, connections: text } });
const { rounds = '5', seconds = '3', connections = '16', load = process.env['LOAD'] } = values;
if (load === undefined) throw new Error('name the load generator: --load <path>, or LOAD=<path>');

const work = mkdtempSync(join(tmpdir(), 'keyhold-bench-'));

/** CPU of one request in µs for each of these workloads. */
async function measure(
  name: string,
  address: string,
  pid: number,
  workloads: readonly string[],
  policy: readonly string[] = ['--no-default-policy'],
) {
  const report = join(work, 'report.json');
  const options = ['--addr', address, '--name', name, '--pid', String(pid), '--token', ROOT];
  options.push('--header', 'X-Service-Token', ...policy, '--cleanup', '--rounds', '1', '--json', report);
  options.push('--concurrency', connections, '--seconds', seconds, '--only', workloads.join(','));
  const generator = spawn(load ?? '', options, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(generator, 'exit');
  if (code !== 0) throw new Error(`the load generator ended with ${code}`);
  const json: unknown = JSON.parse(readFileSync(report, 'utf8'));
  const results = Object.values(Object(at(json, 'rows')));
  return new Map(
    results.map((result) => {
      const cpuSecondsPer1000 = Number(at(result, 'median', 'server_cpu_s_per_1000_ops'));
      return [String(at(result, 'workload')), cpuSecondsPer1000 * 1000] as const;
    }),
  );
}

async function startBare(url: string): Promise<{ readonly child: ChildProcess; readonly address: string }> {
  const script = fileURLToPath(new URL('bare.js', import.meta.url));
  const child = spawn(process.execPath, ['--single-threaded-gc', script, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [address] = await once(createInterface(child.stdout), 'line');
  return { child, address: String(address) };
}

async function cpuOfRequests(life: Life): Promise<readonly ReadonlyMap<string, number>[]> {
  const bare = await startBare(life.url);
  const own = BUDGETS.map(({ workload }) => workload).filter((workload) => workload !== CREATE);
  try {
    const taken: Map<string, number>[] = [];
    for (let round = 0; round < Number(rounds); round++) {
      const ofBare = await measure('bare', bare.address, bare.child.pid ?? 0, ['health']);
      const ofOurs = await measure('keyhold', new URL(life.url).host, life.pid, own);
      // The children have the policy `default`, which only who has it may give.
      const ofCreate = await measure('keyhold', new URL(life.url).host, life.pid, [CREATE], []);
      taken.push(new Map([...ofOurs, ...ofCreate, ['bare', ofBare.get('health') ?? Number.NaN]]));
    }
    return taken;
  } finally {
    bare.child.kill();
  }
}

const verdict = (kept: boolean): string => (kept ? 'kept' : 'MISSED');

try {
  console.log(machine());
  const life = await live(join(work, 'data'), { runtime: ['--single-threaded-gc'] });
  const taken = await cpuOfRequests(life).finally(() => life.end('SIGTERM'));
  const rows = BUDGETS.map(({ workload, base, budget }) => {
    const of = (name: string): readonly number[] => taken.map((round) => round.get(name) ?? Number.NaN);
    const ratios = taken.map((round) => (round.get(workload) ?? Number.NaN) / (round.get(base) ?? Number.NaN));
    const ratio = median(ratios);
    const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
    return [
      workload,
      median(of(workload)).toFixed(1),
      `${ratio.toFixed(2)} × ${base}`,
      spread,
      `≤ ${budget}`,
      verdict(ratio <= budget),
    ];
  });
  console.log(`\n${table([['workload', 'CPU µs', 'ratio', 'over rounds', 'budget', ''], ...rows])}`);

  const shared = await writesPerSync(join(work, 'syncs'), IN_FLIGHT);
  if (shared === undefined) console.log('\nwrites per sync: not counted, strace is missing');
  else {
    const { writes, syncs } = shared;
    const ratio = writes / syncs;
    console.log(
      `\n${writes} durable writes, ${IN_FLIGHT} in flight, in ${syncs} syncs: ${ratio.toFixed(1)} per sync, budget ≥ ${LEAST_WRITES_PER_SYNC}: ${verdict(ratio >= LEAST_WRITES_PER_SYNC)}`,
    );
  }
  console.log(`\n${machine()}`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
