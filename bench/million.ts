// A store of a million secrets in one folder and a million more in ten: listings, start-up, memory.
//
//   node dist/bench/million.js [--secrets 1000000]
//
// Linux only; takes about 2 GB of the folder for temporary files, and some minutes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { at, type Call, HttpClient, ROOT } from '../test/faults/client.ts';
import { type Life, live } from '../test/faults/life.ts';
import { machine, median, memory, quantile, table } from './figures.ts';
import { fill } from './fill.ts';

const RUNTIME = { runtime: ['--single-threaded-gc'] };
const REPEATS = 60;
const STARTS = 5;

const { values } = parseArgs({ options: { secrets: { type: 'string' } } });
const secrets = Number(values.secrets ?? 1_000_000);
const folder = mkdtempSync(join(tmpdir(), 'keyhold-million-'));
const rows: string[][] = [['what', 'measured', 'budget', '']];

function note(what: string, measured: string, budget = '', kept?: boolean): void {
  rows.push([what, measured, budget, kept === undefined ? '' : kept ? 'kept' : 'MISSED']);
  console.log(`${what}: ${measured}`);
}

function* flat(): Generator<string, void> {
  for (let n = 0; n < secrets; n++) yield `flat/${String(n).padStart(8, '0')}`;
}

function* inTen(): Generator<string, void> {
  for (let n = 0; n < secrets; n++) yield `ten/${Math.floor((n * 10) / secrets)}/${String(n).padStart(8, '0')}`;
}

/** Milliseconds of one request that must be answered with 200. */
async function timed(client: HttpClient, call: Call): Promise<number> {
  const began = performance.now();
  const { status } = await client.send(call);
  if (status !== 200) throw new Error(`${call.method} ${call.path}: ${status}`);
  return performance.now() - began;
}

const listing = (path: string): Call => ({ method: 'LIST', path: `secret/metadata/${path}` });
let written = 0;
const write = (): Call => ({ method: 'POST', path: 'secret/data/other', body: { data: { n: written++ } } });

/** Median of a listing that follows a write each time, so that nothing is remembered of the one before. */
async function listAnew(client: HttpClient, path: string): Promise<number> {
  const taken: number[] = [];
  for (let i = 0; i < REPEATS; i++) {
    await timed(client, write());
    taken.push(await timed(client, listing(path)));
  }
  return median(taken);
}

interface Start {
  readonly millis: number;
  readonly own: number;
  readonly mapped: number;
}

/** Medians of several starts: until the server listens, and its memory after one write, in MiB. */
async function startUp(data: string): Promise<Start> {
  const runs: Start[] = [];
  for (let i = 0; i < STARTS; i++) {
    const began = performance.now();
    const life = await live(data, RUNTIME);
    const millis = performance.now() - began;
    const client = new HttpClient(life.url);
    await timed(client, write());
    runs.push({ millis, ...memory(life.workers()[0] ?? 0) });
    client.close();
    await life.end('SIGTERM');
  }
  const middle = (of: (run: Start) => number): number => median(runs.map(of));
  return { millis: middle((run) => run.millis), own: middle((run) => run.own), mapped: middle((run) => run.mapped) };
}

/** What one whole listing costs, and what others notice of it. */
async function wholeListing(life: Life, client: HttpClient): Promise<void> {
  const before = memory(life.workers()[0] ?? 0).own;
  let most = before;
  let done = false;
  const others: number[] = [];
  const watch = (async (): Promise<void> => {
    while (!done) {
      others.push(await timed(client, { method: 'GET', path: 'secret/data/other' }));
      most = Math.max(most, memory(life.workers()[0] ?? 0).own);
      await pause(2);
    }
  })();
  await pause(100);
  others.length = 0;
  const millis = await wholeFolder(life.url).finally(() => {
    done = true;
  });
  await watch;
  note(
    'whole LIST of the flat folder',
    `${millis.toFixed(0)} ms, own memory ${before.toFixed(0)} → at most ${most.toFixed(0)} MiB`,
  );
  note(
    'other requests meanwhile (GET of a secret)',
    `median ${median(others).toFixed(1)} ms, 99 % ${quantile(others, 0.99).toFixed(1)} ms, most ${Math.max(...others).toFixed(1)} ms`,
  );
}

/** Takes in a whole listing, in a process of its own so that only the server's delays show here; milliseconds. */
async function wholeFolder(url: string): Promise<number> {
  const script = fileURLToPath(new URL('take.js', import.meta.url));
  const target = `${url}/v1/secret/metadata/flat?list=true`;
  const child = spawn(process.execPath, [script, target, ROOT], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(createInterface(child.stdout), 'line');
  const taken: unknown = JSON.parse(String(line));
  if (at(taken, 'status') !== 200 || Number(at(taken, 'bytes')) < secrets * 10) throw new Error(`LIST: ${line}`);
  return Number(at(taken, 'millis'));
}

try {
  console.log(machine());
  const data = join(folder, 'data');
  await (await live(data)).end('SIGTERM');
  const empty = await startUp(data);
  const began = performance.now();
  await fill(data, flat());
  await fill(data, inTen());
  const megabytes = statSync(join(data, 'store', 'data.mdb')).size / 1e6;
  note(
    'filled',
    `2 × ${secrets} secrets in ${((performance.now() - began) / 1000).toFixed(0)} s, ${megabytes.toFixed(0)} MB`,
  );
  const full = await startUp(data);
  note('start-up, empty', `${empty.millis.toFixed(0)} ms`);
  note('start-up, full', `${full.millis.toFixed(0)} ms`, '< 1000 ms', full.millis < 1_000);
  note(
    'own memory, empty → full',
    `${empty.own.toFixed(0)} → ${full.own.toFixed(0)} MiB`,
    'flat',
    full.own < empty.own * 1.1,
  );
  note('mapped memory, empty → full', `${empty.mapped.toFixed(0)} → ${full.mapped.toFixed(0)} MiB`);

  const life = await live(data, RUNTIME);
  const client = new HttpClient(life.url);
  try {
    await listAnew(client, 'ten');
    const ofTen = await listAnew(client, 'ten');
    note('LIST of a folder whose ten children hold them', `${ofTen.toFixed(2)} ms`, '< 2 ms', ofTen < 2);
    const limited = await listAnew(client, 'flat?limit=100');
    note('LIST of the flat folder, limit=100', `${limited.toFixed(2)} ms`, '< 2 ms', limited < 2);
    const middle = await listAnew(client, `flat?limit=100&after=${String(secrets / 2).padStart(8, '0')}`);
    note('the same, from its middle', `${middle.toFixed(2)} ms`, '< 2 ms', middle < 2);
    await wholeListing(life, client);
  } finally {
    client.close();
    await life.end('SIGTERM');
  }
  console.log(`\n${table(rows)}\n\n${machine()}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
