// A mount of version 1 with a million secrets in ten thousand folders: SCAN, the upgrade to version 2, SCAN again.
//
//   node dist/bench/scan.js [--secrets 1000000]
//
// Linux only; takes about 1 GB of the folder for temporary files.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { at, type Call, HttpClient, ROOT } from '../test/faults/client.ts';
import { type Life, live } from '../test/faults/life.ts';
import { machine, median, memory, quantile, table } from './figures.ts';
import { fillPlain } from './fill.ts';

const { values } = parseArgs({ options: { secrets: { type: 'string' } } });
const secrets = Number(values.secrets ?? 1_000_000);
const IN_FOLDER = 100;
const folder = mkdtempSync(join(tmpdir(), 'keyhold-scan-'));
const rows: string[][] = [['what', 'measured']];

function note(what: string, measured: string): void {
  rows.push([what, measured]);
  console.log(`${what}: ${measured}`);
}

const eight = (n: number): string => String(n).padStart(8, '0');

function* paths(): Generator<string, void> {
  for (let n = 0; n < secrets; n++) yield `team/${eight(Math.floor(n / IN_FOLDER))}/${eight(n)}`;
}

/** Milliseconds of one request that must be answered so. */
async function timed(client: HttpClient, status: number, call: Call): Promise<number> {
  const began = performance.now();
  const answer = await client.send(call);
  if (answer.status !== status) throw new Error(`${call.method} ${call.path}: ${answer.status}`);
  return performance.now() - began;
}

/** What a whole answer costs, taken in by a process of its own, and what other requests notice of it. */
async function whole(life: Life, client: HttpClient, what: string, path: string, other: string): Promise<void> {
  const worker = life.workers()[0] ?? 0;
  const before = memory(worker).own;
  const script = fileURLToPath(new URL('take.js', import.meta.url));
  const child = spawn(process.execPath, [script, `${life.url}/v1/${path}`, ROOT], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = once(createInterface(child.stdout), 'line');
  let done = false;
  const ended = lines.finally(() => {
    done = true;
  });
  let most = before;
  const others: number[] = [];
  while (!done) {
    others.push(await timed(client, 200, { method: 'GET', path: other }));
    most = Math.max(most, memory(worker).own);
    await pause(2);
  }
  const taken: unknown = JSON.parse(String((await ended)[0]));
  if (at(taken, 'status') !== 200 || Number(at(taken, 'bytes')) < secrets * 20) throw new Error(`${what}: ${taken}`);
  note(
    what,
    `${Number(at(taken, 'millis')).toFixed(0)} ms, own memory ${before.toFixed(0)} → at most ${most.toFixed(0)} MiB`,
  );
  note(
    'other requests meanwhile',
    `median ${median(others).toFixed(1)} ms, 99 % ${quantile(others, 0.99).toFixed(1)} ms`,
  );
}

try {
  console.log(machine());
  const data = join(folder, 'data');
  const first = await live(data);
  const maker = new HttpClient(first.url);
  await timed(maker, 204, { method: 'POST', path: 'sys/mounts/plain', body: { type: 'kv' } });
  maker.close();
  await first.end('SIGTERM');
  await fillPlain(data, 'plain/', paths());

  const life = await live(data, { runtime: ['--single-threaded-gc'] });
  const client = new HttpClient(life.url);
  const one = `team/${eight(0)}/${eight(0)}`;
  try {
    await whole(life, client, 'SCAN of version 1', 'plain?scan=true', `plain/${one}`);
    const tune: Call = { method: 'POST', path: 'sys/mounts/plain/tune', body: { options: { version: '2' } } };
    note('the upgrade', `${(await timed(client, 204, tune)).toFixed(1)} ms`);
    note(
      'first read after it',
      `${(await timed(client, 200, { method: 'GET', path: `plain/data/${one}` })).toFixed(1)} ms`,
    );
    await whole(life, client, 'SCAN of version 2', 'plain/metadata?scan=true', `plain/data/${one}`);
    await timed(client, 204, {
      method: 'POST',
      path: 'sys/mounts/plain/tune',
      body: { options: { filter_lists: 'true' } },
    });
    await whole(life, client, 'the same as root, filtered', 'plain/metadata?scan=true', `plain/data/${one}`);
  } finally {
    client.close();
    await life.end('SIGTERM');
  }
  console.log(`\n${table(rows)}\n\n${machine()}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
