import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { memoryStore } from '../storage/memory.ts';
import { Barrier } from './barrier.ts';
import { FORMAT, KEYRING, SEAL, SEAL_HELD } from './names.ts';
import { get, node, opened, put, rawGet, rawPut } from './testing.ts';

const corrupt = { name: 'CorruptRecord' };

test('I6: each byte of a stored record flipped: every way of reading fails loudly and names the key only', async () => {
  const store = memoryStore();
  const { barrier, logged } = await opened(store);
  await put(barrier, 'kv/secret', 'the value');
  const good = await rawGet(store, 'kv/secret');
  const decode = (): unknown => assert.fail('decoded');
  for (let at = 0; at < good.length; at++) {
    const bad = Buffer.from(good);
    bad.writeUInt8(bad.readUInt8(at) ^ 0x40, at);
    await rawPut(store, 'kv/secret', bad);
    logged.length = 0;
    await assert.rejects(
      barrier.transact((tx) => tx.get('kv/secret')),
      corrupt,
      `byte ${at}`,
    );
    await assert.rejects(
      barrier.transact((tx) => tx.getMany(['kv/secret'])),
      corrupt,
    );
    await assert.rejects(
      barrier.transact((tx) => tx.range({ start: 'kv/', end: 'kv0', limit: 9 })),
      corrupt,
    );
    await assert.rejects(
      barrier.transact((tx) => tx.cached('kv/secret', decode)),
      corrupt,
    );
    assert.equal(logged.length, 4);
    for (const line of logged) assert.match(line, /^a stored record does not open: .*"kv\/secret"/);
  }
  await rawPut(store, 'kv/secret', good);
  assert.equal(await get(barrier, 'kv/secret'), 'the value');
});

test('I6: two records swapped, and one copied to another key, do not open', async () => {
  const store = memoryStore();
  const { barrier } = await opened(store);
  await put(barrier, 'a', 'of a');
  await put(barrier, 'b', 'of b');
  const [a, b] = [await rawGet(store, 'a'), await rawGet(store, 'b')];
  await rawPut(store, 'a', b);
  await rawPut(store, 'b', a);
  await rawPut(store, 'c', a);
  for (const key of ['a', 'b', 'c']) await assert.rejects(get(barrier, key), corrupt, key);
});

test('I6: an older value of the same key opens, as the threat model says', async () => {
  const store = memoryStore();
  const { barrier } = await opened(store);
  await put(barrier, 'a', 'old');
  const old = await rawGet(store, 'a');
  await put(barrier, 'a', 'new');
  await rawPut(store, 'a', old);
  assert.equal(await get(barrier, 'a'), 'old');
});

test('I6: a record of another server does not open', async () => {
  const [mine, theirs] = [memoryStore(), memoryStore()];
  const { barrier } = await opened(mine);
  await put((await opened(theirs)).barrier, 'a', 'theirs');
  await rawPut(mine, 'a', await rawGet(theirs, 'a'));
  await assert.rejects(get(barrier, 'a'), corrupt);
});

test('I6: a keyring altered: the server does not open, and says why', async () => {
  const store = memoryStore();
  const { barrier, keys } = await opened(store);
  await barrier.rotate();
  const good = await rawGet(store, KEYRING);
  for (let at = 0; at < good.length; at += 7) {
    const bad = Buffer.from(good);
    bad.writeUInt8(bad.readUInt8(at) ^ 1, at);
    await rawPut(store, KEYRING, bad);
    await assert.rejects(node(store, keys), corrupt, `byte ${at}`);
    await assert.rejects(
      barrier.transact((tx) => tx.keyringVersion()),
      corrupt,
    );
  }
});

test('a stolen copy holds neither values nor keys nor shares; names are readable', async () => {
  const store = memoryStore();
  const canary = 'canary-7f3a-value';
  const { keys } = await new Barrier(store).init({ shares: 3, threshold: 2 }, (tx) => {
    tx.put(`token/${tx.mac('token', 's.canary-token')}`, JSON.stringify({ id: 's.canary-token' }));
  });
  const [one, two] = keys;
  assert.ok(one && two);
  const { barrier } = await node(store, [one, two]);
  await barrier.transact((tx) => {
    tx.put('kv/name', canary);
    tx.spend.put('kv/spent', Buffer.from(canary));
  });
  await barrier.rotate();
  await barrier.seal();
  const stolen = Buffer.concat([...store.contents()].flatMap(([key, value]) => [Buffer.from(key), value]));
  for (const text of [canary, 's.canary-token', 'canary']) {
    const bytes = Buffer.from(text);
    for (const form of [text, bytes.toString('hex'), bytes.toString('base64').slice(0, -4)]) {
      assert.equal(stolen.includes(form), false, form);
    }
  }
  for (const key of keys) {
    for (let at = 0; at + 8 <= key.length; at++) assert.equal(stolen.includes(key.subarray(at, at + 8)), false);
  }
  assert.ok(stolen.includes('kv/name'));
  const clear = [...store.contents().keys()].filter((key) => store.contents().get(key)?.[0] !== 1);
  assert.deepEqual(clear.sort(), [FORMAT, SEAL], 'nothing else is stored in clear');
  assert.equal(store.contents().has(SEAL_HELD), false);
});

test('H2: no share opens by being near: one bit off in any byte of any share is refused', async () => {
  const store = memoryStore();
  let now = 0;
  const barrier = new Barrier(store, { clock: () => now });
  const { keys } = await barrier.init({ shares: 2, threshold: 2 }, () => undefined);
  const [one, two] = keys;
  assert.ok(one && two);
  for (let at = 0; at < 33; at++) {
    now += 10_000;
    const near = Buffer.from(two);
    near.writeUInt8(near.readUInt8(at) ^ 4, at);
    await barrier.submit(one);
    await assert.rejects(barrier.submit(near), { status: 400 }, `byte ${at}`);
  }
  now += 10_000;
  await barrier.submit(one);
  assert.equal((await barrier.submit(two)).sealed, false);
});

test('B13: the shares of one round open once, however many are given at once', async () => {
  const store = memoryStore();
  const { barrier, keys } = await opened(store);
  await barrier.seal();
  const [key] = keys;
  assert.ok(key);
  const all = await Promise.all(Array.from({ length: 20 }, () => barrier.submit(key)));
  for (const status of all) assert.deepEqual([status.sealed, status.progress], [false, 0]);
  await put(barrier, 'a', '1');
  assert.equal(await get(barrier, 'a'), '1');
});

test('random bytes in the place of any record never open', async () => {
  const store = memoryStore();
  const { barrier } = await opened(store);
  for (let length = 0; length < 100; length++) {
    const bytes = randomBytes(length);
    bytes.set([1, 0, 0, 0, 1].slice(0, length));
    await rawPut(store, 'a', bytes);
    await assert.rejects(get(barrier, 'a'), corrupt, `length ${length}`);
  }
});

test('the library of tables stays out of the product: it is the oracle of the tests only', async () => {
  for (const name of ['shamir', 'init', 'unsealer', 'barrier']) {
    const source = await readFile(new URL(`./${name}.js`, import.meta.url), 'utf8');
    assert.equal(source.includes('shamir-secret-sharing'), false, name);
  }
});
