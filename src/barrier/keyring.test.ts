import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { CorruptRecord } from './errors.ts';
import { Keyring } from './keyring.ts';
import { KEYRING } from './names.ts';
import { sealRecord } from './record.ts';
import { loneKey } from './seal.ts';

const root = loneKey(randomBytes(32));

test('a keyring comes back with all terms, their times and the MAC key', () => {
  const [first, second, mac] = [randomBytes(32), randomBytes(32), randomBytes(32)];
  const back = Keyring.open(root, Keyring.first(first, mac, 1_000).next(second, 2_000.5).seal(root));
  assert.deepEqual(back.mac.export(), mac);
  assert.deepEqual([back.active.term, back.active.created], [2, 2_000.5]);
  assert.deepEqual(back.get(1)?.key.export(), first);
  assert.deepEqual([back.get(1)?.created, back.get(2)?.key.export()], [1_000, second]);
  assert.deepEqual([back.get(0), back.get(3)], [undefined, undefined]);
});

test('the next keyring leaves the one before as it was', () => {
  const one = Keyring.first(randomBytes(32), randomBytes(32), 1);
  const two = one.next(randomBytes(32), 2);
  assert.deepEqual([one.active.term, one.get(2), two.active.term], [1, undefined, 2]);
});

test('it opens by its root key only, and not with a byte flipped', () => {
  const record = Keyring.first(randomBytes(32), randomBytes(32), 1).seal(root);
  assert.throws(() => Keyring.open(loneKey(randomBytes(32)), record), CorruptRecord);
  for (let at = 0; at < record.length; at++) {
    const flipped = Buffer.from(record);
    flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at);
    assert.throws(() => Keyring.open(root, flipped), CorruptRecord, `byte ${at}`);
  }
});

test('what the root key sealed but is no keyring is refused', () => {
  const whole = Buffer.alloc(81);
  whole[0] = 1;
  whole.writeUInt32BE(1, 33);
  whole.writeUInt32BE(1, 37);
  assert.equal(Keyring.open(root, sealRecord(root, KEYRING, whole)).active.term, 1);
  const changed = (at: number, value: number): Buffer => {
    const copy = Buffer.from(whole);
    copy[at] = value;
    return copy;
  };
  const wrong = [
    Buffer.alloc(0),
    whole.subarray(0, 36),
    whole.subarray(0, 80),
    changed(0, 2),
    changed(36, 2),
    changed(40, 2),
  ];
  for (const plain of wrong) {
    assert.throws(() => Keyring.open(root, sealRecord(root, KEYRING, plain)), CorruptRecord);
  }
});
