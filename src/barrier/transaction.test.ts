import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { memoryStore } from '../storage/memory.ts';
import { FORMAT, KEYRING, SEAL, SEAL_HELD, USAGE } from './names.ts';
import { get, node, opened, put, rawGet, rawPut } from './testing.ts';

test('a transaction reads its own writes, ranges, lists, and drops what a throw left, but not what was spent', async () => {
  const { barrier } = await opened(memoryStore({ rehearse: true }));
  await barrier.transact(async (tx) => {
    tx.put('d/a', 'text');
    tx.put('d/b', Buffer.from([0, 255]));
    assert.equal((await tx.get('d/a'))?.toString(), 'text');
    assert.deepEqual(await tx.get('d/b'), Buffer.from([0, 255]));
  });
  await assert.rejects(
    barrier.transact((tx) => {
      tx.put('d/c', 'dropped');
      tx.spend.put('d/d', 'spent');
      tx.spend.delete('d/b');
      throw new Error('refused');
    }),
    /refused/,
  );
  const seen = await barrier.transact(async (tx) => ({
    list: await tx.list({ prefix: 'd/', after: '', limit: 10 }),
    range: (await tx.range({ start: 'd/', end: 'd0', limit: 10 })).map(({ key, value }) => [key, value.toString()]),
    many: (await tx.getMany(['d/d', 'd/b', 'd/a'])).map((value) => value?.toString()),
    random: tx.random(5).length,
    now: tx.now,
  }));
  assert.deepEqual(seen.list, ['a', 'd']);
  assert.deepEqual(seen.range, [
    ['d/a', 'text'],
    ['d/d', 'spent'],
  ]);
  assert.deepEqual(seen.many, ['spent', undefined, 'text']);
  assert.equal(seen.random, 5);
  assert.ok(Math.abs(seen.now - Date.now()) < 60_000);
});

test('delete deletes', async () => {
  const { barrier } = await opened(memoryStore());
  await put(barrier, 'a', '1');
  await barrier.transact((tx) => tx.delete('a'));
  assert.equal(await get(barrier, 'a'), undefined);
});

test("the barrier's own records cannot be written through it", async () => {
  const store = memoryStore();
  const { barrier } = await opened(store);
  const before = new Map(store.contents());
  for (const key of [FORMAT, SEAL, SEAL_HELD, KEYRING, `${USAGE}1`, `${USAGE}9`]) {
    await assert.rejects(
      barrier.transact((tx) => tx.put(key, 'x')),
      /own record/,
    );
    await assert.rejects(
      barrier.transact((tx) => tx.delete(key)),
      /own record/,
    );
    await assert.rejects(
      barrier.transact((tx) => tx.spend.put(key, 'x')),
      /own record/,
    );
    await assert.rejects(
      barrier.transact((tx) => tx.spend.delete(key)),
      /own record/,
    );
  }
  assert.deepEqual(store.contents(), before);
  for (const key of ['core/mounts', 'core/sealed', 'core/usage', 'x/core/seal']) await put(barrier, key, 'theirs');
});

test('version is the raw record: another after each write, also of the same value', async () => {
  const store = memoryStore();
  const { barrier } = await opened(store);
  const version = (key: string) => barrier.transact((tx) => tx.version(key));
  await put(barrier, 'a', 'same');
  const before = await version('a');
  assert.deepEqual(before, await rawGet(store, 'a'));
  assert.deepEqual(await version('a'), before);
  await put(barrier, 'a', 'same');
  assert.notDeepEqual(await version('a'), before);
  assert.equal(await version('none'), undefined);
});

test('mac is an HMAC-SHA-256 that is one for label and value, on every node, over rotation and sealing', async () => {
  const store = memoryStore();
  const { barrier, keys } = await opened(store);
  const { barrier: two } = await node(store, keys);
  const mac = (on: typeof barrier, label: string, value: string) => on.transact((tx) => tx.mac(label, value));
  const token = await mac(barrier, 'token', 's.abc');
  assert.match(token, /^[\w-]{43}$/);
  assert.equal(await mac(two, 'token', 's.abc'), token);
  assert.notEqual(await mac(barrier, 'accessor', 's.abc'), token);
  assert.notEqual(await mac(barrier, 'token', 's.abd'), token);
  assert.notEqual(await mac(barrier, 'tokens', '.abc'), token);
  await assert.rejects(mac(barrier, 'a\0b', 'c'), /NUL/);
  await barrier.rotate();
  await barrier.seal();
  for (const key of keys) await barrier.submit(key);
  assert.equal(await mac(barrier, 'token', 's.abc'), token);
  const { barrier: other } = await opened(memoryStore());
  assert.notEqual(await mac(other, 'token', 's.abc'), token, 'another server has another key');
  assert.notEqual(createHmac('sha256', '').update('token\0s.abc').digest('base64url'), token);
});

test('cached decodes once for each stored record, whoever writes it', async () => {
  const store = memoryStore();
  const { barrier: one, keys } = await opened(store);
  const { barrier: two } = await node(store, keys);
  let decoded = 0;
  const decode = (plain: Buffer): { text: string } => {
    decoded++;
    return { text: plain.toString() };
  };
  const cached = () => one.transact((tx) => tx.cached('a', decode));
  assert.equal(await cached(), undefined);
  await put(one, 'a', '1');
  const first = await cached();
  assert.deepEqual(first, { text: '1' });
  assert.equal(await cached(), first);
  assert.equal(decoded, 1);
  await put(two, 'a', '2');
  assert.deepEqual(await cached(), { text: '2' });
  await two.transact((tx) => tx.delete('a'));
  assert.equal(await cached(), undefined);
  assert.equal(decoded, 2);
});

test('cached shows a transaction its own write, and the old value again where that was dropped', async () => {
  const { barrier } = await opened(memoryStore());
  const decode = (plain: Buffer): string => plain.toString();
  await put(barrier, 'a', 'old');
  const dropped = barrier.transact(async (tx) => {
    tx.put('a', 'new');
    assert.equal(await tx.cached('a', decode), 'new');
    throw new Error('refused');
  });
  await assert.rejects(dropped, /refused/);
  assert.equal(await barrier.transact((tx) => tx.cached('a', decode)), 'old');
});

test('cached is bounded, and forgotten with the keys', async () => {
  let decoded = 0;
  const decode = (plain: Buffer): string => {
    decoded++;
    return plain.toString();
  };
  const { barrier, keys } = await opened(memoryStore(), { cacheBytes: 1_000 });
  const cached = (key: string, bytes?: number) => barrier.transact((tx) => tx.cached(key, decode, bytes));
  await put(barrier, 'a', '1');
  await cached('a', 2_000);
  await cached('a', 2_000);
  assert.equal(decoded, 2, 'larger than the cache: not kept');
  await cached('a', 100);
  await cached('a', 100);
  assert.equal(decoded, 3);
  await barrier.seal();
  for (const key of keys) await barrier.submit(key);
  await cached('a', 100);
  assert.equal(decoded, 4);
});

test('a damaged record does not reach a decoder', async () => {
  const store = memoryStore();
  const { barrier } = await opened(store);
  await put(barrier, 'a', '1');
  const raw = Buffer.from(await rawGet(store, 'a'));
  raw.writeUInt8(raw.readUInt8(20) ^ 1, 20);
  await rawPut(store, 'a', raw);
  const decode = () => assert.fail('decoded');
  await assert.rejects(
    barrier.transact((tx) => tx.cached('a', decode)),
    { name: 'CorruptRecord' },
  );
});
