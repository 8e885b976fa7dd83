// Many tokens that expire within one minute: whether each is refused to the moment, how fast they are removed, and what those
// who read secrets notice. With --leases: how long a node that has so many takes to its first answer, and its memory.
//
//   node dist/bench/expiry.js [--tokens 20000] [--leases 20000] [--store lmdb|postgres]
//
// A million of each: --tokens 1000000 --leases 1000000 takes about 2 GB of the folder for temporary files, and half an hour.
// Linux only.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { LOOKS_PER_SECOND } from '../src/core/pace.ts';
import { indexLease, putLease } from '../src/leases/record.ts';
import { startDatabase } from '../src/storage/postgres/testing/server.ts';
import { DUE_QUEUES, dueTime } from '../src/tokens/due.ts';
import { at, ROOT } from '../test/faults/client.ts';
import { ServerNode } from '../test/histories/nodes/server-node.ts';
import { machine, median, memory, quantile, table } from './figures.ts';
import { fill, opener, type Put, putTokenAt, tokenOf } from './fill-tokens.ts';
import { readsOf } from './steady-reads.ts';

const MINUTE = 60_000;
const STARTS = 5;
/** Milliseconds to the first answer. */
const MOST_MILLIS = 2_000;

const { values } = parseArgs({
  options: {
    tokens: { type: 'string', default: '20000' },
    leases: { type: 'string', default: '20000' },
    store: { type: 'string', default: 'lmdb' },
  },
});
const [tokens, leases] = [Number(values.tokens), Number(values.leases)];
if (
  ![tokens, leases].every((count) => Number.isSafeInteger(count) && count >= 0) ||
  !/^(lmdb|postgres)$/.test(values.store)
)
  throw new Error('--tokens, --leases: a whole number; --store: lmdb or postgres');

/** Evenly within the minute that begins at `from`. */
const endOf = (i: number, from: number): number => from + Math.floor((i * MINUTE) / tokens);

const putLeaseOf =
  (mount: string): Put =>
  (tx, i) => {
    const id = `lease-${String(i).padStart(20, '0')}`;
    const expires = tx.now + 30 * 24 * 60 * MINUTE;
    const lease = {
      ...{ origin: { mount, path: `creds/${i % 100}` }, mountPath: 'secret/', issued: tx.now, expires, ttl: 3_600 },
      ...{
        holder: { kind: 'token', token: { key: `token/${i % 1_000}`, accessor: `accessor-${i % 1_000}` } } as const,
      },
      ...{ maxTtl: 0, renewable: true, note: id },
    };
    indexLease(tx, id, putLease(tx, id, lease, expires));
  };

const folder = mkdtempSync(join(tmpdir(), 'keyhold-expiry-'));
const database = values.store === 'postgres' ? await startDatabase() : undefined;
const data = join(folder, 'data');
const flags = ['--dev', '--dev-root-token-id', ROOT, '--data', data, '--storage', values.store];
const environment: Readonly<Record<string, string>> =
  database === undefined ? {} : { KEYHOLD_POSTGRES_URL: database.url };
const node = new ServerNode({ program: new URL('../', import.meta.url).pathname, flags, environment, wire: undefined });
const open = opener(data, database?.url);
const send = async (method: string, path: string, body?: unknown, token = ROOT): Promise<unknown> => {
  const { status, json } = await node.send({ method, path, token, ...(body === undefined ? {} : { body }) });
  if (status >= 400) throw new Error(`${method} ${path}: ${status}`);
  return json;
};

/**
 * Asks for tokens about the time of their end: 200 is wrong where it was asked for after that, 403 where it came before.
 */
async function watchEnds(from: number): Promise<{ readonly right: number; readonly wrong: number }> {
  let [right, wrong] = [0, 0];
  const ask = async (i: number): Promise<void> => {
    const asked = Date.now();
    const { status } = await node.send({ method: 'GET', path: 'auth/token/lookup-self', token: tokenOf(i) });
    const end = endOf(i, from);
    if (status === 200 ? asked >= end : status !== 403 || Date.now() < end) wrong++;
    else right++;
  };
  while (Date.now() < from + MINUTE) {
    const now = Math.floor(((Date.now() - from) * tokens) / MINUTE);
    // Up to a twentieth of a second to either side.
    const near = Math.ceil((50 * tokens) / MINUTE);
    const some = [now - near, now - 1, now, now + 1, now + near].filter((i) => i >= 0 && i < tokens);
    for (const i of new Set(some)) await ask(i);
    await pause(20);
  }
  return { right, wrong };
}

/** Waits until no note is due any more; looked at in the store itself. The number of tokens that are left, at most ten. */
async function cleaned(): Promise<number> {
  const store = await open();
  try {
    for (;;) {
      const late = await store.transact(async (tx) => {
        const heads = await Promise.all(DUE_QUEUES.flat().map((prefix) => tx.list({ prefix, after: '', limit: 1 })));
        return heads.some(([name]) => name !== undefined && !name.endsWith('/') && dueTime(name) <= tx.now);
      });
      if (!late) return (await store.transact((tx) => tx.list({ prefix: 'token/', after: '', limit: 10 }))).length;
      await pause(200);
    }
  } finally {
    await store.close();
  }
}

async function expiry(mount: string): Promise<void> {
  // As long as filling takes on a slow day, and some time to measure without it.
  const from = Date.now() + 25_000 + tokens / 2;
  const began = performance.now();
  await fill(
    await open(),
    data,
    tokens,
    putTokenAt({ mount, path: 'create' }, (i) => endOf(i, from)),
  );
  console.log(`filled: ${tokens} tokens in ${((performance.now() - began) / 1_000).toFixed(0)} s, ${values.store}`);
  if (Date.now() > from - 20_000) throw new Error('filling took too long: this machine is too busy');
  await node.start();
  try {
    await send('POST', 'secret/data/read', { data: { value: 'x'.repeat(1_000) } });
    await pause(2_000);
    const calm = await readsOf(node, () => Date.now() > from - 1_000);
    await pause(Math.max(0, from - Date.now()));
    let over = false;
    const busy = readsOf(node, () => over);
    const watched = watchEnds(from);
    const { right, wrong } = await watched;
    const left = await cleaned();
    const seconds = (Date.now() - from) / 1_000;
    over = true;
    const [before, meanwhile] = [quantile(calm, 0.99), quantile(await busy, 0.99)];
    const rows = [
      ['tokens that expire within a minute', String(tokens), ''],
      ['asked about their end', `${right} right, ${wrong} wrong`, wrong === 0 ? 'kept' : 'MISSED'],
      [
        'removed',
        `in ${seconds.toFixed(0)} s, ${(tokens / seconds).toFixed(0)}/s; ${left} are left`,
        `at most ${LOOKS_PER_SECOND}/s for each worker`,
      ],
      ['reads of a secret before: median / 99 %', `${median(calm).toFixed(2)} / ${before.toFixed(2)} ms`, ''],
      [
        'reads meanwhile: median / 99 %',
        `${median(await busy).toFixed(2)} / ${meanwhile.toFixed(2)} ms`,
        meanwhile <= 2 * before ? 'kept' : 'MISSED',
      ],
    ];
    console.log(`${table([['', '', ''], ...rows])}\n\n${machine()}\n`);
  } finally {
    await node.kill();
  }
}

/** Medians of several starts: milliseconds to the first answer, and memory in MiB. */
async function starts(): Promise<{ readonly slowest: number; readonly row: readonly string[] }> {
  const runs: { readonly millis: number; readonly own: number; readonly mapped: number }[] = [];
  for (let i = 0; i < STARTS; i++) {
    const began = performance.now();
    await node.start();
    await send('GET', 'auth/token/lookup-self');
    const millis = performance.now() - began;
    await pause(1_000);
    runs.push({ millis, ...memory(node.workers()[0] ?? 0) });
    await node.kill();
  }
  const middle = (of: (run: (typeof runs)[number]) => number): string => median(runs.map(of)).toFixed(0);
  const row = [`${middle((run) => run.millis)} ms`, `${middle((run) => run.own)} + ${middle((run) => run.mapped)} MiB`];
  return { slowest: Math.max(...runs.map(({ millis }) => millis)), row };
}

async function manyLeases(mount: string): Promise<void> {
  const none = await starts();
  const began = performance.now();
  await fill(await open(), data, leases, putLeaseOf(mount));
  console.log(`filled: ${leases} leases in ${((performance.now() - began) / 1_000).toFixed(0)} s, ${values.store}`);
  const many = await starts();
  const head = ['leases', 'first answer', 'memory a second later: own + mapped'];
  console.log(table([head, ['0', ...none.row], [String(leases), ...many.row]]));
  const verdict = many.slowest < MOST_MILLIS ? 'kept' : 'MISSED';
  console.log(
    `\nslowest first answer ${many.slowest.toFixed(0)} ms, budget ${MOST_MILLIS} ms: ${verdict}; ${machine()}`,
  );
}

try {
  await node.start();
  const uuidOf = async (path: string): Promise<string> => String(at(await send('GET', path), 'data', 'uuid'));
  const [auth, secret] = [await uuidOf('sys/auth/token'), await uuidOf('sys/mounts/secret')];
  await node.kill();
  if (leases > 0) await manyLeases(secret);
  if (tokens > 0) await expiry(auth);
} finally {
  await node.kill();
  await database?.stop();
  rmSync(folder, { recursive: true, force: true });
}
