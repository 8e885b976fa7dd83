import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { memoryStore } from '../storage/memory.ts';
import { KEYRING, USAGE } from './names.ts';
import { RECORD_OVERHEAD, termOf } from './record.ts';
import { get, node, opened, put, rawGet, rawPut, refusal } from './testing.ts';
import { USAGE_LIMITS } from './usage.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  for (let turns = 0; turns < 1_000; turns++) {
    if (await what()) return;
    await turn();
  }
  assert.fail('it did not come about');
}

test('the limits are those of the architecture', () => {
  assert.deepEqual(USAGE_LIMITS, { perTerm: 2 ** 31, block: 2 ** 20 });
});

test('a term ends before its limit, over two nodes, and everything written stays readable on both', async () => {
  const usage = { perTerm: 40, block: 8 };
  const store = memoryStore();
  const { barrier: one, keys } = await opened(store, { usage });
  const { barrier: two } = await node(store, keys, { usage });
  for (let i = 0; i < 150; i++) {
    const barrier = i % 3 === 0 ? two : one;
    await put(barrier, `k/${i}`, `v${i}`);
    await turn();
    await turn();
  }
  const sealed = new Map<number, number>();
  for (const [key, raw] of store.contents()) {
    if (!key.startsWith('k/')) continue;
    const term = termOf(raw) ?? assert.fail(`${key} is no record`);
    sealed.set(term, (sealed.get(term) ?? 0) + 1);
  }
  assert.ok(sealed.size >= 4, `only ${sealed.size} terms for 150 seals of 40 each`);
  for (const [term, seals] of sealed) assert.ok(seals <= 40, `term ${term} sealed ${seals} times`);
  for (let i = 0; i < 150; i++) {
    assert.equal(await get(one, `k/${i}`), `v${i}`);
    assert.equal(await get(two, `k/${i}`), `v${i}`);
  }
});

test('the block that just fits is of the same term, the next begins a new one', async () => {
  // Init takes one block, each unsealing another.
  const usage = { perTerm: 24, block: 8 };
  const store = memoryStore();
  const { barrier, keys } = await opened(store, { usage });
  await node(store, keys, { usage });
  assert.equal((await barrier.keyStatus()).term, 1);
  await node(store, keys, { usage });
  assert.equal((await barrier.keyStatus()).term, 2);
});

test('no block to be had: the reserved seals are used, then writes are 503 and reads go on; it recovers', async () => {
  let now = 0;
  let broken = false;
  const store = memoryStore();
  const failing = {
    close: () => store.close(),
    transact: store.transact.bind(store),
  };
  const { barrier, logged } = await opened(
    {
      ...failing,
      transact: (fn) =>
        store.transact((tx) => fn(Object.assign(tx, broken ? { put: failUsage(tx.put.bind(tx)) } : {}))),
    },
    { usage: { perTerm: 1_000, block: 8 }, clock: () => now },
  );
  broken = true;
  for (let i = 0; i < 8; i++) await put(barrier, `k${i}`, 'v');
  await assert.rejects(put(barrier, 'k8', 'v'), refusal(503, /no seals are reserved/));
  assert.equal(await get(barrier, 'k7'), 'v');
  assert.equal(logged.length, 1, 'asked once a second, not once a write');
  broken = false;
  await assert.rejects(put(barrier, 'k8', 'v'), refusal(503));
  now += 1_001;
  await assert.rejects(put(barrier, 'k8', 'v'), refusal(503));
  await until(() => put(barrier, 'k8', 'v').then(() => true, refused));
  assert.equal(await get(barrier, 'k8'), 'v');
});

const refused = (error: unknown): boolean => {
  assert.ok(refusal(503)(error));
  return false;
};

/** A `put` that refuses the counters. */
function failUsage(write: (key: string, value: Buffer) => void): (key: string, value: Buffer) => void {
  return (key, value) => {
    if (key.startsWith(USAGE)) throw new Error('the disk is full');
    write(key, value);
  };
}

test('a block is asked for when half of one is left', async () => {
  const store = memoryStore();
  const { barrier } = await opened(store, { usage: { perTerm: 1_000, block: 8 } });
  for (let i = 0; i < 4; i++) await put(barrier, `k${i}`, 'v');
  const before = await rawGet(store, `${USAGE}1`);
  await turn();
  assert.deepEqual(await rawGet(store, `${USAGE}1`), before);
  await put(barrier, 'k4', 'v');
  await until(async () => !(await rawGet(store, `${USAGE}1`)).equals(before));
});

test('a counter that is gone ends its term; one that is altered is loud', async () => {
  const store = memoryStore();
  const { barrier, keys } = await opened(store);
  await store.transact((tx) => tx.delete(`${USAGE}1`));
  await node(store, keys);
  assert.equal((await barrier.keyStatus()).term, 2);
  await rawPut(store, `${USAGE}2`, randomBytes(RECORD_OVERHEAD + 7));
  await assert.rejects(node(store, keys), { name: 'CorruptRecord' });
});

test('rotate begins a term at once here, and for another node with the first record that names it', async () => {
  const store = memoryStore();
  const { barrier: one, keys } = await opened(store);
  const { barrier: two } = await node(store, keys);
  await put(one, 'old', 'of term 1');
  const installed = (await one.keyStatus()).installTime;
  await one.rotate();
  await put(one, 'new', 'of term 2');
  assert.deepEqual([termOf(await rawGet(store, 'old')), termOf(await rawGet(store, 'new'))], [1, 2]);
  assert.deepEqual([await get(two, 'new'), await get(two, 'old')], ['of term 2', 'of term 1']);
  const status = await two.keyStatus();
  assert.equal(status.term, 2);
  assert.ok(status.installTime >= installed && status.installTime <= Date.now());
  await until(async () => {
    await put(two, 'after', 'x');
    return termOf(await rawGet(store, 'after')) === 2;
  });
});

test('a node meets a new term in getMany and range as well', async () => {
  const store = memoryStore();
  const { barrier: one, keys } = await opened(store);
  const { barrier: two } = await node(store, keys);
  const { barrier: three } = await node(store, keys);
  await put(one, 'r/a', '1');
  await one.rotate();
  await put(one, 'r/b', '2');
  const many = await two.transact((tx) => tx.getMany(['r/b', 'r/none', 'r/a']));
  assert.deepEqual(
    many.map((value) => value?.toString()),
    ['2', undefined, '1'],
  );
  const range = await three.transact((tx) => tx.range({ start: 'r/', end: 'r0', limit: 10 }));
  assert.deepEqual(
    range.map(({ key, value }) => [key, value.toString()]),
    [
      ['r/a', '1'],
      ['r/b', '2'],
    ],
  );
});

test('parallel rotations of two nodes all succeed, one term each', async () => {
  const store = memoryStore();
  const { barrier: one, keys } = await opened(store);
  const { barrier: two } = await node(store, keys);
  await Promise.all([one, two, one, two, one].map((barrier) => barrier.rotate()));
  assert.equal((await one.keyStatus()).term, 6);
  assert.equal((await two.keyStatus()).term, 6);
  await put(one, 'a', '1');
  assert.equal(await get(two, 'a'), '1');
});

test('encryptions counts what was sealed', async () => {
  const store = memoryStore();
  const { barrier } = await opened(store);
  const before = (await barrier.keyStatus()).encryptions;
  for (let i = 0; i < 5; i++) await put(barrier, `k${i}`, 'v');
  assert.equal((await barrier.keyStatus()).encryptions, before + 5);
});

test('keyringVersion changes with a rotation, also one of another node, and only then', async () => {
  const store = memoryStore();
  const { barrier: one, keys } = await opened(store);
  const { barrier: two } = await node(store, keys);
  const version = (): Promise<Buffer> => two.transact((tx) => tx.keyringVersion());
  const before = await version();
  await put(one, 'a', '1');
  assert.deepEqual(await version(), before);
  await one.rotate();
  assert.notDeepEqual(await version(), before);
  assert.deepEqual(await version(), await rawGet(store, KEYRING));
});

test('an older keyring put back does not take terms away from a node that knows them', async () => {
  const store = memoryStore();
  const { barrier } = await opened(store);
  const old = await rawGet(store, KEYRING);
  await barrier.rotate();
  await put(barrier, 'a', '1');
  await rawPut(store, KEYRING, old);
  await barrier.transact((tx) => tx.keyringVersion());
  assert.equal(await get(barrier, 'a'), '1');
});
