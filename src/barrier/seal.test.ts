import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../framework/errors.ts';
import { memoryStore } from '../storage/memory.ts';
import { CorruptRecord } from './errors.ts';
import { SEAL } from './names.ts';
import { checkShareCount, readSeal, writeSeal } from './seal.ts';

const REFUSED: readonly (readonly [number, number, RegExp])[] = [
  [0, 0, /^secret_shares: /],
  [-1, -1, /^secret_shares: /],
  [256, 3, /^secret_shares: /],
  [1.5, 1, /^secret_shares: /],
  [Number.NaN, 1, /^secret_shares: /],
  [5, 0, /^secret_threshold: /],
  [5, 2.5, /^secret_threshold: /],
  [5, Number.NaN, /^secret_threshold: /],
  [1, 2, /^secret_threshold: /],
  [5, 6, /^secret_threshold: /],
  [255, 256, /^secret_threshold: /],
  [2, 1, /^secret_threshold: /],
  [5, 1, /^secret_threshold: /],
];

for (const [shares, threshold, message] of REFUSED) {
  test(`${threshold} of ${shares} shares is 400, and the message names the field`, () => {
    assert.throws(
      () => checkShareCount({ shares, threshold }, 'secret'),
      (error) => error instanceof ServiceError && error.status === 400 && message.test(error.message),
    );
  });
}

for (const [shares, threshold] of [
  [1, 1],
  [2, 2],
  [5, 2],
  [5, 5],
  [255, 2],
  [255, 255],
] as const) {
  test(`${threshold} of ${shares} shares is right`, () => {
    checkShareCount({ shares, threshold }, 'secret');
  });
}

const RECORDS = [
  { type: 'shamir', shares: 5, threshold: 3, root: Buffer.from('sealed'), check: undefined },
  { type: 'keyfile', shares: 1, threshold: 1, root: Buffer.from('sealed'), check: Buffer.from('check') },
];

test('the record comes back as it was stored', async () => {
  const store = memoryStore();
  assert.equal(await store.transact(readSeal), undefined);
  for (const record of RECORDS) {
    await store.transact((tx) => writeSeal(tx, record));
    assert.deepEqual(await store.transact(readSeal), record);
  }
});

const good = { version: 1, type: 'keyfile', shares: 1, threshold: 1, root: '', check: '' };
const DAMAGED: readonly string[] = [
  '',
  'x',
  'null',
  '7',
  '[]',
  '{}',
  ...['version', 'type', 'shares', 'threshold', 'root', 'check'].map((name) =>
    JSON.stringify({ ...good, [name]: null }),
  ),
  JSON.stringify({ ...good, version: 2 }),
  JSON.stringify({ ...good, type: 'shamir' }),
];

for (const text of DAMAGED) {
  test(`a damaged record is loud: ${text}`, async () => {
    const store = memoryStore();
    await store.transact((tx) => tx.put(SEAL, Buffer.from(text)));
    await assert.rejects(store.transact(readSeal), CorruptRecord);
  });
}
