// What logins and requests cost with few entities and with many, in process on LMDB: they must not grow with the store.
//
//   node --single-threaded-gc dist/bench/identity.js [--entities 10000] [--requests 4000]
//
// There is a group for each ten entities, and each entity is in four, two of which it joined by its logins. The figures that
// docs/benchmarks.md shows are of 100,000 entities, which take some minutes to make.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Barrier, type SealedTransaction } from '../src/barrier/index.ts';
import { entityKey } from '../src/identity/entity.ts';
import { writeGroupAlias } from '../src/identity/group-alias-changes.ts';
import { type GroupChanges, writeGroup } from '../src/identity/group-changes.ts';
import { admitLogin } from '../src/identity/login.ts';
import { principalOf } from '../src/identity/principal.ts';
import { lmdbStore } from '../src/storage/lmdb.ts';
import { Random } from '../test/faults/random.ts';
import { machine, median, table } from './figures.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { entities: text, requests: text } });
const entities = Number(values.entities ?? 10_000);
const requests = Number(values.requests ?? 4_000);
if (!Number.isSafeInteger(entities) || entities < 100) throw new Error('--entities: a whole number, 100 or more');

const ENTITIES_OF_A_GROUP = 10;
const IN_FLIGHT = 64;
const ROUNDS = 5;
/**
 * A larger store is slower to read and to write by itself, so a login is held against as many plain records. That ratio may
 * grow by so much, once: of few entities what was decoded is kept, of many it is not.
 */
const MOST_GROWTH = 2;
/** Records that a login of somebody known reads, and that one of somebody new writes. */
const READ = 5;
const WRITTEN = 6;
const MOUNT = { accessor: 'bench_00000000' };
const MOUNTS = { hasAccessor: () => true };

const data = mkdtempSync(join(tmpdir(), 'keyhold-identity-'));
const store = lmdbStore(join(data, 'store'));
const barrier = new Barrier(store);
const { keys } = await barrier.init({ shares: 1, threshold: 1 }, () => undefined);
await barrier.submit(keys[0] ?? Buffer.alloc(0));
const random = new Random(entities);
const ids: string[] = [];
const groups: string[] = [];
let runs = 0;
let newcomers = 0;

const transact = <T>(fn: (tx: SealedTransaction) => Promise<T>): Promise<T> =>
  barrier.transact((tx) => {
    runs += 1;
    return fn(tx);
  });

/** The groups that a login names; they are made before the first one. */
const groupsOf = (i: number): readonly string[] => [`group-${Math.floor(i / 20)}`, `group-${Math.floor(i / 40)}`];

const login = (i: number): Promise<string> =>
  transact((tx) =>
    admitLogin(tx, MOUNT, { alias: `user-${i}`, aliasMetadata: new Map([['role', 'dev']]), groups: groupsOf(i) }),
  );

const unsaid: GroupChanges = {
  ...{ name: undefined, type: undefined, metadata: undefined, policies: undefined },
  ...{ memberGroupIds: undefined, memberEntityIds: undefined },
};

/** An external group with its alias, and an internal one that it is in. */
async function addGroups(i: number): Promise<void> {
  await transact(async (tx) => {
    const inner = await writeGroup(tx, '', { ...unsaid, type: 'external', policies: [`of-${i}`] });
    const canonicalId = inner?.id ?? '';
    await writeGroupAlias(tx, '', { name: `group-${i}`, accessor: MOUNT.accessor, canonicalId }, () => true);
    const outer = await writeGroup(tx, '', { ...unsaid, policies: ['all'], memberGroupIds: [canonicalId] });
    groups.push(canonicalId, outer?.id ?? '');
  });
}

/** Runs `work` for each number, many in flight. */
async function each(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
}

/** Microseconds of the processor for one of so many. */
async function cost(count: number, work: (n: number) => Promise<unknown>): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    await each(count / ROUNDS, work);
    const { user, system } = process.cpuUsage(before);
    rounds.push((user + system) / (count / ROUNDS));
  }
  return median(rounds);
}

async function fillTo(count: number): Promise<void> {
  const before = groups.length / 2;
  await each(Math.ceil(count / ENTITIES_OF_A_GROUP / 2) - before, (n) => addGroups(before + n));
  const from = ids.length;
  await each(count - from, async (n) => {
    ids[from + n] = await login(from + n);
  });
}

const someone = (): number => random.below(ids.length);
const principal = (id: string) => transact((tx) => principalOf(tx, id, MOUNTS));

/** Keys of records as they lie about in the store. */
const anyKeys = (count: number): readonly string[] =>
  Array.from({ length: count }, () => entityKey(ids[someone()] ?? ''));

interface Figures {
  readonly count: number;
  readonly known: number;
  readonly reads: number;
  readonly fresh: number;
  readonly writes: number;
  readonly again: number;
  readonly one: number;
  readonly others: number;
  readonly changed: number;
}

async function measure(count: number): Promise<Figures> {
  await fillTo(count);
  const known = await cost(requests, () => login(someone()));
  const reads = await cost(requests, () => transact(async (tx) => tx.getMany(anyKeys(READ))));
  const before = runs;
  const fresh = await cost(requests, async () => {
    const alias = `new-${newcomers++}`;
    await transact((tx) => admitLogin(tx, MOUNT, { alias, aliasMetadata: new Map(), groups: groupsOf(someone()) }));
  });
  const again = runs - before - requests;
  const writes = await cost(requests, () =>
    transact(async (tx) => {
      for (let i = 0; i < WRITTEN; i += 1) tx.put(`plain/${tx.random(16).toString('hex')}`, tx.random(200));
    }),
  );
  const hot = ids[someone()] ?? '';
  const one = await cost(requests, () => principal(hot));
  const others = await cost(requests, () => principal(ids[someone()] ?? ''));
  const changed = await cost(requests / 10, async () => {
    await transact((tx) => writeGroup(tx, groups[0] ?? '', { ...unsaid, policies: [`p-${random.below(1_000)}`] }));
    await principal(ids[someone()] ?? '');
  });
  return { count, known, reads, fresh, writes, again, one, others, changed };
}

try {
  const rows: Figures[] = [];
  for (const count of [entities / 100, entities / 10, entities]) rows.push(await measure(Math.floor(count)));
  const head = [
    ...['entities', 'login, known', `${READ} plain reads`, 'login, new', `${WRITTEN} plain writes`, 'run again'],
    ...['request, one entity', 'request, any entity', 'a group changed, and a request'],
  ];
  const shown = rows.map((row) => [
    ...[String(row.count), row.known.toFixed(0), row.reads.toFixed(0), row.fresh.toFixed(0), row.writes.toFixed(0)],
    ...[String(row.again), row.one.toFixed(0), row.others.toFixed(0), row.changed.toFixed(0)],
  ]);
  console.log(`${table([head, ...shown])}\n`);
  const [few, , many] = rows;
  if (few === undefined || many === undefined) throw new Error('nothing was measured');
  const growth = (of: (row: Figures) => number): number => of(many) / of(few);
  const [known, fresh] = [growth((row) => row.known / row.reads), growth((row) => row.fresh / row.writes)];
  const kept = known <= MOST_GROWTH && fresh <= MOST_GROWTH && rows.every(({ again }) => again === 0);
  console.log(
    `µs of the processor; with a hundred times as many, beside plain records: known ${known.toFixed(2)}, ` +
      `new ${fresh.toFixed(2)}, budget ${MOST_GROWTH}, none run again: ${kept ? 'kept' : 'MISSED'}; ${machine()}`,
  );
} finally {
  await store.close();
  rmSync(data, { recursive: true, force: true });
}
