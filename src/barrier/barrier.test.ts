import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryStore } from '../storage/memory.ts';
import { Barrier } from './barrier.ts';
import { get, intercepted, isSealed, node, opened, put, refusal } from './testing.ts';

const at = <T>(items: readonly T[], index: number): T => items[index] ?? assert.fail(`no item ${index}`);

test('init, unseal, seal: one life in order', async () => {
  const store = memoryStore({ rehearse: true });
  const barrier = new Barrier(store);
  const none = { type: 'shamir', sealed: true, progress: 0, nonce: '', recovery_seal: false };
  assert.deepEqual(await barrier.status(), { ...none, initialized: false, t: 0, n: 0 });
  assert.equal(await barrier.initialized(), false);
  await assert.rejects(barrier.submit(Buffer.alloc(33)), refusal(400, /not initialized/));

  const { keys, result } = await barrier.init({ shares: 5, threshold: 3 }, (tx) => {
    tx.put('first', 'written by init');
    return 'result';
  });
  assert.equal(result, 'result');
  assert.deepEqual(
    keys.map((key) => key.length),
    [33, 33, 33, 33, 33],
  );
  await assert.rejects(
    barrier.init({ shares: 1, threshold: 1 }, () => undefined),
    refusal(400, /already initialized/),
  );
  assert.deepEqual(await barrier.status(), { ...none, initialized: true, t: 3, n: 5 });
  await assert.rejects(get(barrier, 'first'), isSealed);

  for (const length of [0, 2, 32, 34]) {
    await assert.rejects(barrier.submit(Buffer.alloc(length)), refusal(400, /^key: .*33 bytes/));
  }
  assert.equal((await barrier.status()).progress, 0);

  const first = await barrier.submit(at(keys, 0));
  assert.deepEqual([first.sealed, first.progress, first.nonce.length], [true, 1, 36]);
  assert.deepEqual(await barrier.submit(at(keys, 0)), first);
  assert.equal((await barrier.submit(at(keys, 1))).progress, 2);
  assert.deepEqual(
    [(await barrier.status()).progress, (await barrier.status()).nonce],
    [2, ''],
    'no nonce to strangers',
  );
  barrier.reset();
  assert.equal((await barrier.status()).progress, 0);

  const wrong = Buffer.from(at(keys, 2));
  wrong.writeUInt8(wrong.readUInt8(0) ^ 1, 0);
  await barrier.submit(at(keys, 0));
  await barrier.submit(at(keys, 1));
  await assert.rejects(barrier.submit(wrong), refusal(400, /do not open/));
  assert.equal((await barrier.status()).progress, 0);

  await barrier.submit(at(keys, 4));
  await barrier.submit(at(keys, 2));
  const last = await barrier.submit(at(keys, 0));
  assert.deepEqual(last, { ...none, initialized: true, sealed: false, t: 3, n: 5 });
  assert.equal(await get(barrier, 'first'), 'written by init');
  assert.deepEqual(await barrier.submit(at(keys, 1)), last, 'open already: no effect');

  await put(barrier, 'kept', 'value');
  await barrier.seal();
  assert.equal(barrier.sealed, true);
  await assert.rejects(get(barrier, 'kept'), isSealed);
  await barrier.seal();
  for (const i of [3, 1, 4]) await barrier.submit(at(keys, i));
  assert.equal(await get(barrier, 'kept'), 'value');
});

test('two shares of one x among enough are 400', async () => {
  const store = memoryStore();
  const barrier = new Barrier(store);
  const { keys } = await barrier.init({ shares: 3, threshold: 2 }, () => undefined);
  const twin = Buffer.from(at(keys, 0));
  twin.writeUInt8(twin.readUInt8(5) ^ 0x80, 5);
  await barrier.submit(at(keys, 0));
  await assert.rejects(barrier.submit(twin), refusal(400));
  await assert.rejects(
    Promise.all([barrier.submit(Buffer.alloc(33)), barrier.submit(Buffer.alloc(33, 1))]),
    refusal(400),
  );
  await node(store, [at(keys, 2), at(keys, 1)]);
});

test('with one share the share is the key itself', async () => {
  const barrier = new Barrier(memoryStore());
  const { keys } = await barrier.init({ shares: 1, threshold: 1 }, () => undefined);
  assert.deepEqual(
    keys.map((key) => key.length),
    [32],
  );
  await assert.rejects(barrier.submit(Buffer.alloc(33)), refusal(400, /32 bytes/));
  await assert.rejects(barrier.submit(Buffer.alloc(32)), refusal(400, /do not open/));
  assert.equal((await barrier.submit(at(keys, 0))).sealed, false);
});

test('of parallel inits one wins, and its keys open the server', async () => {
  const store = memoryStore();
  const tries = await Promise.allSettled(
    Array.from({ length: 8 }, (_, i) =>
      new Barrier(store).init({ shares: 1, threshold: 1 }, (tx) => tx.put('by', `${i}`)),
    ),
  );
  const won = tries.flatMap((one, i) => (one.status === 'fulfilled' ? [{ i, keys: one.value.keys }] : []));
  assert.equal(won.length, 1);
  for (const lost of tries) if (lost.status === 'rejected') assert.ok(refusal(400)(lost.reason));
  const { barrier } = await node(store, at(won, 0).keys);
  assert.equal(await get(barrier, 'by'), String(at(won, 0).i));
});

test('init that fails at any of its writes, or at the commit, leaves nothing', async () => {
  const first = (tx: { put(key: string, value: string): void }): void => {
    for (const key of ['a', 'b', 'c']) tx.put(key, 'x');
  };
  let failed = 0;
  for (let n = 1; ; n++) {
    const store = memoryStore();
    let writes = 0;
    const faulty = intercepted(store, (tx) => {
      const write = tx.put.bind(tx);
      const failing = (key: string, value: Buffer): void => {
        if (++writes === n) throw new Error('fault');
        write(key, value);
      };
      return Object.assign(tx, { put: failing });
    });
    const done = await new Barrier(faulty).init({ shares: 2, threshold: 2 }, first).catch(() => undefined);
    if (done !== undefined) break;
    failed++;
    assert.equal(store.contents().size, 0, `write ${n}`);
    assert.equal(await new Barrier(store).initialized(), false);
    await new Barrier(store).init({ shares: 2, threshold: 2 }, first);
  }
  assert.equal(failed, 7, 'format, seal, keyring, usage and three of the caller');

  const store = memoryStore({ beforeCommit: () => assert.fail('fault') });
  await assert.rejects(new Barrier(store).init({ shares: 1, threshold: 1 }, first));
  assert.equal(store.contents().size, 0);
});

test("init that throws in the caller's part leaves nothing", async () => {
  const store = memoryStore();
  await assert.rejects(
    new Barrier(store).init({ shares: 1, threshold: 1 }, (tx) => {
      tx.put('a', 'x');
      throw new Error('mine');
    }),
    /mine/,
  );
  assert.equal(store.contents().size, 0);
});

test('I7: everything that needs a key is 503 while sealed', async () => {
  const { barrier } = await opened(memoryStore());
  await barrier.seal();
  let ran = false;
  const run = (): void => {
    ran = true;
  };
  for (const call of [() => barrier.transact(run), () => barrier.rotate(), () => barrier.keyStatus()]) {
    await assert.rejects(call, isSealed);
  }
  assert.equal(ran, false);
});

test('I7: a transaction under way when the server is sealed fails at its next step and writes nothing', async () => {
  const store = memoryStore();
  const { barrier, keys } = await opened(store);
  await put(barrier, 'k', 'old');
  const steps: readonly ((tx: Parameters<Parameters<Barrier['transact']>[0]>[0]) => unknown)[] = [
    (tx) => tx.get('k'),
    (tx) => tx.getMany(['k']),
    (tx) => tx.range({ start: 'k', end: 'l', limit: 1 }),
    (tx) => tx.list({ prefix: '', after: '', limit: 1 }),
    (tx) => tx.put('k', 'newer'),
    (tx) => tx.delete('k'),
    (tx) => tx.spend.put('k', 'newer'),
    (tx) => tx.version('k'),
    (tx) => tx.keyringVersion(),
    (tx) => tx.mac('l', 'v'),
    (tx) => tx.cached('k', String),
    () => undefined,
  ];
  for (const [i, step] of steps.entries()) {
    let sealing: Promise<void> | undefined;
    const running = barrier.transact(async (tx) => {
      tx.put('k', 'new');
      sealing = barrier.seal();
      assert.throws(
        () => step(tx) ?? assert.fail('no step'),
        i === steps.length - 1 ? /no step/ : isSealed,
        `step ${i}`,
      );
    });
    await assert.rejects(running, isSealed, `step ${i}`);
    await sealing;
    assert.equal(barrier.sealed, true);
    for (const key of keys) await barrier.submit(key);
    assert.equal(await get(barrier, 'k'), 'old');
  }
});

test('seal waits for the commits under way: none comes after it', async () => {
  const store = memoryStore();
  const { barrier, keys } = await opened(store);
  const writes = Array.from({ length: 20 }, (_, i) => put(barrier, `k${i}`, 'v'));
  await new Promise((resolve) => setImmediate(resolve));
  await barrier.seal();
  const stored = [...store.contents().keys()].filter((key) => /^k\d/.test(key)).sort();
  const outcomes = await Promise.allSettled(writes);
  const done = outcomes.flatMap((one, i) => (one.status === 'fulfilled' ? [`k${i}`] : [])).sort();
  for (const one of outcomes) if (one.status === 'rejected') assert.ok(isSealed(one.reason));
  assert.deepEqual(stored, done, 'what was answered is what is there');
  for (const key of keys) await barrier.submit(key);
  for (const key of done) assert.equal(await get(barrier, key), 'v');
});

test('open takes the root key itself, refuses another, and needs an initialized server', async () => {
  const store = memoryStore();
  await assert.rejects(new Barrier(store).open(Buffer.alloc(32)), refusal(400, /not initialized/));
  let rootKey = Buffer.alloc(0);
  const device = {
    type: 'device',
    wrap: (key: Buffer) => {
      rootKey = Buffer.from(key);
      return Buffer.from('elsewhere');
    },
    unwrap: () => Buffer.from(rootKey),
  };
  await new Barrier(store, { autoSeal: device }).init({ shares: 1, threshold: 1 }, (tx) => tx.put('a', '1'));
  const barrier = new Barrier(store);
  await assert.rejects(barrier.open(Buffer.alloc(32)), { name: 'CorruptRecord' });
  await barrier.open(rootKey);
  assert.equal(await get(barrier, 'a'), '1');
});

test('I1: unseal attempts are paced; the right shares open it a moment later', async () => {
  let now = 0;
  const store = memoryStore();
  const barrier = new Barrier(store, { clock: () => now });
  const { keys } = await barrier.init({ shares: 1, threshold: 1 }, () => undefined);
  let wrong = 0;
  for (;;) {
    const error = await barrier.submit(Buffer.alloc(32)).catch((thrown: unknown) => thrown);
    if (!refusal(400)(error)) {
      assert.ok(refusal(429)(error));
      break;
    }
    wrong++;
  }
  assert.equal(wrong, 10);
  await assert.rejects(barrier.submit(at(keys, 0)), refusal(429));
  now += 2_000;
  assert.equal((await barrier.submit(at(keys, 0))).sealed, false);
});
