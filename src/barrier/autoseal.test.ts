import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { memoryStore } from '../storage/memory.ts';
import { Barrier } from './barrier.ts';
import { SEAL, SEAL_HELD } from './names.ts';
import { type Seal, unwrapByKey, wrapByKey } from './seal.ts';
import { get, put, rawGet, rawPut, refusal } from './testing.ts';

/** A device that can be cut off. */
function device(key = randomBytes(32)): Seal & { down: boolean } {
  const self = {
    type: 'device',
    down: false,
    wrap: async (rootKey: Buffer) => wrapByKey(key, rootKey),
    unwrap: async (wrapped: Buffer) => {
      if (self.down) throw new Error('the device does not answer');
      return unwrapByKey(key, wrapped);
    },
  };
  return self;
}

async function initialized() {
  const store = memoryStore({ rehearse: true });
  const autoSeal = device();
  const { keys } = await new Barrier(store, { autoSeal }).init({ shares: 3, threshold: 2 }, (tx) => tx.put('a', '1'));
  const [one, two, three] = keys;
  assert.ok(one && two && three);
  return { store, autoSeal, one, two, three };
}

test('it opens by itself, and says that its shares are recovery shares', async () => {
  const { store, autoSeal } = await initialized();
  const barrier = new Barrier(store, { autoSeal });
  const { type, sealed, t, n, recovery_seal } = await barrier.status();
  assert.deepEqual(
    { type, sealed, t, n, recovery_seal },
    { type: 'device', sealed: true, t: 2, n: 3, recovery_seal: true },
  );
  assert.equal(await barrier.tryAutoUnseal(), true);
  assert.equal(await barrier.tryAutoUnseal(), true);
  assert.equal(await get(barrier, 'a'), '1');
});

test('before init there is nothing to open; its type is shown; the counts are of recovery shares', async () => {
  const barrier = new Barrier(memoryStore(), { autoSeal: device() });
  assert.equal(await barrier.tryAutoUnseal(), false);
  assert.equal((await barrier.status()).type, 'device');
  await assert.rejects(
    barrier.init({ shares: 0, threshold: 0 }, () => undefined),
    refusal(400, /^recovery_shares: /),
  );
  await assert.rejects(
    barrier.init({ shares: 2, threshold: 3 }, () => undefined),
    refusal(400, /^recovery_threshold: /),
  );
});

test('sealed by an operator it stays sealed over restarts, until the recovery shares agree', async () => {
  const { store, autoSeal, one, two, three } = await initialized();
  const barrier = new Barrier(store, { autoSeal });
  await barrier.tryAutoUnseal();
  await barrier.seal();
  const restarted = new Barrier(store, { autoSeal });
  for (const each of [barrier, restarted]) assert.equal(await each.tryAutoUnseal(), false);

  const wrong = Buffer.from(two);
  wrong.writeUInt8(wrong.readUInt8(0) ^ 1, 0);
  await restarted.submit(one);
  await assert.rejects(restarted.submit(wrong), refusal(400, /do not open/));
  assert.equal(await new Barrier(store, { autoSeal }).tryAutoUnseal(), false);

  await restarted.submit(one);
  assert.equal((await restarted.submit(three)).sealed, false);
  assert.equal(await get(restarted, 'a'), '1');
  assert.equal(store.contents().has(SEAL_HELD), false);
  assert.equal(await new Barrier(store, { autoSeal }).tryAutoUnseal(), true);
});

test('recovery shares open nothing without the device', async () => {
  const { store, autoSeal, one, two } = await initialized();
  autoSeal.down = true;
  const barrier = new Barrier(store, { autoSeal });
  await assert.rejects(barrier.tryAutoUnseal(), /does not answer/);
  await barrier.submit(one);
  await assert.rejects(barrier.submit(two), /does not answer/);
  assert.equal(barrier.sealed, true);

  const without = new Barrier(store);
  await without.submit(one);
  await assert.rejects(without.submit(two), /not the seal of the configuration/);
  await assert.rejects(without.tryAutoUnseal(), /not the seal of the configuration/);
  const another = new Barrier(store, { autoSeal: device() });
  await assert.rejects(another.tryAutoUnseal(), { name: 'CorruptRecord' });

  // Nor does relabelling the record as one of shares help who holds them all.
  const record = JSON.parse((await rawGet(store, SEAL)).toString());
  await rawPut(store, SEAL, Buffer.from(JSON.stringify({ ...record, type: 'shamir', check: undefined })));
  await without.submit(one);
  await assert.rejects(without.submit(two), refusal(400, /do not open/));
});

test('a server of shares is not opened by a device, and sealing it leaves no mark', async () => {
  const store = memoryStore();
  const { keys } = await new Barrier(store).init({ shares: 1, threshold: 1 }, () => undefined);
  const barrier = new Barrier(store, { autoSeal: device() });
  assert.equal(await barrier.tryAutoUnseal(), false);
  for (const key of keys) await barrier.submit(key);
  await put(barrier, 'a', '1');
  await barrier.seal();
  assert.equal(store.contents().has(SEAL_HELD), false);
});

test('sealing drops the keys also where the mark cannot be stored, and says so', async () => {
  let full = false;
  const store = memoryStore({
    beforeCommit: () => {
      if (full) throw new Error('the disk is full');
    },
  });
  const autoSeal = device();
  const barrier = new Barrier(store, { autoSeal });
  await barrier.init({ shares: 1, threshold: 1 }, () => undefined);
  await barrier.tryAutoUnseal();
  full = true;
  await assert.rejects(barrier.seal(), refusal(503));
  assert.equal(barrier.sealed, true);
});
