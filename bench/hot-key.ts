// One record that all nodes increment at once: how often a transaction runs until it wins, and how long that takes.
//
//   node dist/bench/hot-key.js [--nodes 3] [--clients 64] [--each 1] [--rounds 7]
//
// Starts a PostgreSQL of its own; each node is a process. `each`: increments of a client, one after the other.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startDatabase } from '../src/storage/postgres/testing/server.ts';
import { postgresStore } from '../src/storage/postgres.ts';
import type { Store } from '../src/storage/store.ts';
import { machine, median, quantile, table } from './figures.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { nodes: text, clients: text, each: text, rounds: text, url: text } });
const count = (given: string | undefined, otherwise: number): number => Number(given ?? otherwise);
const [nodes, clients, each] = [count(values.nodes, 3), count(values.clients, 64), count(values.each, 1)];

/** What one node did in one round: runs and milliseconds of each increment, and those that ended with an error. */
interface Report {
  readonly runs: readonly number[];
  readonly millis: readonly number[];
  readonly failed: number;
}

async function increments(store: Store, parallel: number): Promise<Report> {
  const [runs, millis]: [number[], number[]] = [[], []];
  let failed = 0;
  const client = async (): Promise<void> => {
    for (let i = 0; i < each; i++) {
      const began = performance.now();
      let tries = 0;
      try {
        await store.transact(async (tx) => {
          tries += 1;
          tx.put('n', Buffer.from(String(Number((await tx.get('n')) ?? 0) + 1)));
        });
      } catch {
        failed += 1;
      }
      runs.push(tries);
      millis.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: parallel }, client));
  return { runs, millis, failed };
}

/** A node: does as many increments at once as it is told, until it is told none. */
async function node(url: string): Promise<void> {
  const store = await postgresStore({ url });
  process.send?.('ready');
  for (;;) {
    const [parallel] = await once(process, 'message');
    if (parallel === 0) break;
    process.send?.(await increments(store, Number(parallel)));
  }
  await store.close();
  process.disconnect();
}

async function round(all: readonly ChildProcess[]): Promise<readonly string[]> {
  const began = performance.now();
  const reports = await Promise.all(
    all.map(async (child, i): Promise<Report> => {
      child.send(Math.floor(clients / nodes) + (i < clients % nodes ? 1 : 0));
      const [report] = await once(child, 'message');
      return report;
    }),
  );
  const wall = performance.now() - began;
  const runs = reports.flatMap((report) => report.runs);
  const millis = reports.flatMap((report) => report.millis);
  return [
    String(runs.reduce((sum, one) => sum + one, 0) - runs.length),
    median(runs).toFixed(0),
    String(Math.max(...runs)),
    median(millis).toFixed(0),
    quantile(millis, 0.99).toFixed(0),
    wall.toFixed(0),
    String(reports.reduce((sum, { failed }) => sum + failed, 0)),
  ];
}

if (values.url !== undefined) await node(values.url);
else {
  const database = await startDatabase('max_connections=100');
  const script = fileURLToPath(import.meta.url);
  const args = ['--url', database.url, '--each', String(each)];
  const all = Array.from({ length: nodes }, () => fork(script, args, { serialization: 'advanced' }));
  await Promise.all(all.map((child) => once(child, 'message')));
  console.log(machine());
  const rows = [['lost runs', 'runs: median', 'most', 'ms: median', '99 %', 'all', 'failed']];
  for (let i = 0; i < count(values.rounds, 7); i++) rows.push([...(await round(all))]);
  for (const child of all) child.send(0);
  await Promise.all(all.map((child) => once(child, 'exit')));
  await database.stop();
  console.log(`${clients * each} increments of one record, ${clients} at once over ${nodes} nodes\n\n${table(rows)}`);
}
