// One barrier among others of the same server: what it tells them, and what happens when it is opened and shut at once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../storage/memory.ts';
import type { Store } from '../storage/store.ts';
import { Barrier } from './barrier.ts';
import { get, isSealed, opened, put } from './testing.ts';
import { Unsealer, type Unsealing } from './unsealer.ts';

/** A round of shares that tells what it is told, and answers when `answer` resolves. */
class Shared implements Unsealing {
  readonly told: string[] = [];
  readonly #own = new Unsealer(undefined, () => performance.now());
  answer: Promise<void> = Promise.resolve();

  submit = (...given: Parameters<Unsealing['submit']>) => this.#own.submit(...given);
  reset = () => this.#own.reset();
  progress = () => this.#own.progress();

  async opened(rootKey: Buffer): Promise<void> {
    this.told.push(`opened ${rootKey.length}`);
    await this.answer;
  }

  async sealed(): Promise<void> {
    this.told.push('sealed');
    await this.answer;
  }
}

/** A store whose transactions wait until `release`. */
function held(store: Store): { readonly store: Store; hold(): void; release(): void } {
  let gate = Promise.resolve();
  let release = (): void => {};
  return {
    store: {
      transact: async (fn) => {
        await gate;
        return store.transact(fn);
      },
      close: () => store.close(),
    },
    hold: () => {
      gate = new Promise((resolve) => {
        release = resolve;
      });
    },
    release: () => release(),
  };
}

/** A key that other nodes of the store are opened with. */
async function rootKeyOf(store: Store, keys: readonly Buffer[]): Promise<Buffer> {
  let found: Buffer | undefined;
  const shared = new Shared();
  shared.opened = async (rootKey) => {
    found = Buffer.from(rootKey);
  };
  const barrier = new Barrier(store, { unsealing: shared });
  for (const key of keys) await barrier.submit(key);
  return found ?? assert.fail('not opened');
}

test('the others are told when it was opened by shares and when it is sealed, not when it is opened and shut alone', async () => {
  const store = memoryStore();
  const { keys } = await opened(store);
  const rootKey = await rootKeyOf(store, keys);
  const unsealing = new Shared();
  const barrier = new Barrier(store, { unsealing });
  await barrier.open(rootKey);
  await put(barrier, 'a', 'b');
  await barrier.shut();
  await assert.rejects(get(barrier, 'a'), isSealed);
  assert.deepEqual(unsealing.told, []);
  for (const key of keys) await barrier.submit(key);
  await barrier.seal();
  assert.deepEqual(unsealing.told, ['opened 32', 'sealed']);
  assert.equal(rootKey.equals(Buffer.alloc(32)), false, 'the key stays the caller’s');
});

test('another key opens nothing', async () => {
  const store = memoryStore();
  await opened(store);
  const barrier = new Barrier(store);
  await assert.rejects(barrier.open(Buffer.alloc(32)), /core\/keyring/);
  assert.equal(barrier.sealed, true);
});

test('whoever seals waits until all are sealed, also where this process is by now', async () => {
  const store = memoryStore();
  const { keys } = await opened(store);
  const unsealing = new Shared();
  const barrier = new Barrier(store, { unsealing });
  for (const key of keys) await barrier.submit(key);
  let release = (): void => {};
  unsealing.answer = new Promise((resolve) => {
    release = resolve;
  });
  const done: string[] = [];
  const seals = ['first', 'second'].map((name) => barrier.seal().then(() => done.push(name)));
  assert.equal(barrier.sealed, true, 'at once');
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(done, []);
  release();
  await Promise.all(seals);
  assert.deepEqual(unsealing.told.slice(1), ['sealed', 'sealed']);
});

for (const { name, times, sealed } of [
  { name: 'shut while it is being opened', times: ['open', 'shut'], sealed: true },
  { name: 'shut and opened again while it is being opened', times: ['open', 'shut', 'open'], sealed: false },
  { name: 'shut before it is opened', times: ['shut', 'open'], sealed: false },
  { name: 'opened twice at once', times: ['open', 'open'], sealed: false },
]) {
  test(`one that is ${name} is ${sealed ? 'sealed' : 'open'} in the end`, async () => {
    const inner = memoryStore();
    const { keys } = await opened(inner);
    const rootKey = await rootKeyOf(inner, keys);
    const { store, hold, release } = held(inner);
    const barrier = new Barrier(store);
    hold();
    const changes = times.map((change) => (change === 'open' ? barrier.open(rootKey) : barrier.shut()));
    release();
    const ends = await Promise.allSettled(changes);
    for (const [i, end] of ends.entries()) {
      if (times[i] === 'open' && times.slice(i).includes('shut')) {
        assert.ok(end.status === 'rejected' && isSealed(end.reason), 'who opens it learns that it was sealed');
      } else assert.equal(end.status, 'fulfilled');
    }
    assert.equal(barrier.sealed, sealed);
    if (sealed) await barrier.open(rootKey);
    await put(barrier, 'after', 'all');
    assert.equal(await get(barrier, 'after'), 'all');
  });
}
