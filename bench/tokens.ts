// A store of a million tokens: how long a node takes to its first answer, and how much memory it has.
//
//   node dist/bench/tokens.js [--tokens 1000000] [--store lmdb|postgres]
//
// Linux only; takes about 1 GB of the folder for temporary files, and some minutes.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Barrier } from '../src/barrier/index.ts';
import { lmdbStore } from '../src/storage/lmdb.ts';
import { startDatabase } from '../src/storage/postgres/testing/server.ts';
import { postgresStore } from '../src/storage/postgres.ts';
import type { Store } from '../src/storage/store.ts';
import { putAccessor } from '../src/tokens/accessor.ts';
import { putToken, tokenKey } from '../src/tokens/store.ts';
import type { TokenRecord } from '../src/tokens/token.ts';
import { at, ROOT } from '../test/faults/client.ts';
import { Random } from '../test/faults/random.ts';
import { ServerNode } from '../test/histories/nodes/server-node.ts';
import { machine, median, memory, quantile, table } from './figures.ts';

/** A token is two records, and a transaction touches at most 1,000. */
const BATCH = 400;
const IN_FLIGHT = 8;
const STARTS = 5;
const LOOKUPS = 2_000;
/** Milliseconds to the first answer. */
const MOST_MILLIS = 2_000;

const { values } = parseArgs({
  options: { tokens: { type: 'string', default: '1000000' }, store: { type: 'string', default: 'lmdb' } },
});
const tokens = Number(values.tokens);
if (!Number.isSafeInteger(tokens) || tokens < 1 || !/^(lmdb|postgres)$/.test(values.store))
  throw new Error('--tokens: a positive integer; --store: lmdb or postgres');

/** As many tokens as there will be have values that are known here. */
const tokenOf = (i: number): string => `token-${i}`;

async function fill(store: Store, data: string, from: number, to: number): Promise<void> {
  try {
    const barrier = new Barrier(store);
    const secrets: unknown = JSON.parse(readFileSync(join(data, 'dev.json'), 'utf8'));
    await barrier.submit(Buffer.from(String(at(secrets, 'unseal_key')), 'base64'));
    let next = from;
    const writer = async (): Promise<void> => {
      while (next < to) {
        const first = next;
        next = Math.min(to, first + BATCH);
        const last = next;
        await barrier.transact((tx) => {
          for (let i = first; i < last; i++) {
            const key = tokenKey(tx, tokenOf(i));
            const record = recordAt(tx.now, `accessor-${i}`);
            putToken(tx, key, record);
            putAccessor(tx, key, record);
          }
        });
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, writer));
  } finally {
    await store.close();
  }
}

const recordAt = (created: number, accessor: string): TokenRecord => ({
  accessor,
  type: 'service',
  policies: ['default', 'reader'],
  displayName: 'token-ada',
  path: 'auth/token/create',
  metadata: [['team', 'compilers']],
  created,
  expires: created + 2_764_800_000,
  ttl: 2_764_800,
  explicitMaxTtl: 0,
  period: 0,
  renewable: true,
  numUses: 0,
  ancestors: [],
  entityId: '',
});

interface Start {
  /** Milliseconds until the first answer, and of later ones. */
  readonly first: number;
  readonly later: readonly number[];
  readonly fresh: ReturnType<typeof memory>;
  readonly used: ReturnType<typeof memory>;
}

/** Medians of several starts: until the first answer to a token, then that of others, and the memory of it all in MiB. */
async function measure(node: ServerNode, amount: number) {
  const random = new Random(amount);
  const lookup = async (): Promise<number> => {
    const began = performance.now();
    const token = tokenOf(random.below(amount));
    const { status } = await node.send({ method: 'GET', path: 'auth/token/lookup-self', token });
    if (status !== 200) throw new Error(`lookup-self: ${status}`);
    return performance.now() - began;
  };
  const runs: Start[] = [];
  for (let i = 0; i < STARTS; i++) {
    const began = performance.now();
    await node.start();
    await lookup();
    const first = performance.now() - began;
    const fresh = memory(node.workers()[0] ?? 0);
    const later: number[] = [];
    for (let n = 0; n < LOOKUPS; n++) later.push(await lookup());
    runs.push({ first, fresh, later, used: memory(node.workers()[0] ?? 0) });
    await node.kill();
  }
  const middle = (of: (run: Start) => number): string => median(runs.map(of)).toFixed(0);
  const all = runs.flatMap(({ later }) => later);
  return {
    slowest: Math.max(...runs.map(({ first }) => first)),
    row: [
      String(amount),
      `${middle(({ first }) => first)} ms`,
      `${median(all).toFixed(2)} / ${quantile(all, 0.99).toFixed(2)} ms`,
      `${middle(({ fresh }) => fresh.own)} + ${middle(({ fresh }) => fresh.mapped)} MiB`,
      `${middle(({ used }) => used.own)} + ${middle(({ used }) => used.mapped)} MiB`,
    ],
  };
}

const folder = mkdtempSync(join(tmpdir(), 'keyhold-tokens-'));
const database = values.store === 'postgres' ? await startDatabase() : undefined;
try {
  const data = join(folder, 'data');
  const flags = ['--dev', '--dev-root-token-id', ROOT, '--data', data, '--storage', values.store];
  const environment: Readonly<Record<string, string>> =
    database === undefined ? {} : { KEYHOLD_POSTGRES_URL: database.url };
  const program = new URL('../', import.meta.url).pathname;
  const node = new ServerNode({ program, flags, environment, wire: undefined });
  const open = async (): Promise<Store> =>
    database === undefined ? lmdbStore(join(data, 'store')) : postgresStore({ url: database.url, poolSize: 16 });
  await node.start();
  await node.kill();
  await fill(await open(), data, 0, 1);
  const one = await measure(node, 1);
  const began = performance.now();
  await fill(await open(), data, 1, tokens);
  console.log(`filled: ${tokens} tokens in ${((performance.now() - began) / 1_000).toFixed(0)} s, ${values.store}`);
  const many = await measure(node, tokens);
  const head = [
    'tokens',
    'first answer',
    'lookup-self: median / 99 %',
    'memory: own + mapped',
    `after ${LOOKUPS} lookups`,
  ];
  const verdict = many.slowest < MOST_MILLIS ? 'kept' : 'MISSED';
  console.log(`${table([head, one.row, many.row])}\n`);
  console.log(`slowest first answer ${many.slowest.toFixed(0)} ms, budget ${MOST_MILLIS} ms: ${verdict}; ${machine()}`);
} finally {
  await database?.stop();
  rmSync(folder, { recursive: true, force: true });
}
