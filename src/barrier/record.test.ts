import assert from 'node:assert/strict';
import { createDecipheriv, createSecretKey, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { CorruptRecord } from './errors.ts';
import { openRecord, RECORD_OVERHEAD, sealRecord, termOf } from './record.ts';

const bytes = randomBytes(32);
const key = { term: 7, key: createSecretKey(bytes) };
const corrupt = (storageKey: string) => (error: unknown) =>
  error instanceof CorruptRecord &&
  error.storageKey === storageKey &&
  error.message.includes(JSON.stringify(storageKey));

test('the layout is version, term, nonce, ciphertext, tag; the storage key is the associated data', () => {
  const record = sealRecord(key, 'kv/ä', 'plain');
  assert.equal(record.length, RECORD_OVERHEAD + 5);
  assert.equal(RECORD_OVERHEAD, 33);
  assert.equal(record[0], 1);
  assert.equal(record.readUInt32BE(1), 7);
  const decipher = createDecipheriv('aes-256-gcm', bytes, record.subarray(5, 17), { authTagLength: 16 });
  decipher.setAAD(Buffer.from('kv/ä', 'utf8'));
  decipher.setAuthTag(record.subarray(-16));
  assert.equal(decipher.update(record.subarray(17, -16), undefined, 'utf8') + decipher.final('utf8'), 'plain');
});

test('whatever is sealed opens under its own storage key, and under no other', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 5_000 }), fc.string({ unit: 'grapheme' }), (plain, name) => {
      const record = sealRecord(key, name, Buffer.from(plain));
      assert.deepEqual(openRecord(key, name, record), Buffer.from(plain));
      assert.throws(() => openRecord(key, `${name}x`, record), corrupt(`${name}x`));
    }),
    { numRuns: 200 },
  );
});

test('a string is sealed as its UTF-8', () => {
  const text = '{"a":"é😀"}';
  assert.equal(openRecord(key, 'k', sealRecord(key, 'k', text)).toString('utf8'), text);
});

test('I6: a record with any one bit flipped, or cut, or longer, does not open', () => {
  const record = sealRecord(key, 'k', 'some value');
  for (let bit = 0; bit < record.length * 8; bit++) {
    const flipped = Buffer.from(record);
    flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
    assert.throws(() => openRecord(key, 'k', flipped), corrupt('k'), `bit ${bit}`);
  }
  for (let length = 0; length < record.length; length++) {
    assert.throws(() => openRecord(key, 'k', record.subarray(0, length)), corrupt('k'), `length ${length}`);
  }
  assert.throws(() => openRecord(key, 'k', Buffer.concat([record, Buffer.alloc(1)])), corrupt('k'));
  assert.equal(openRecord(key, 'k', record).toString(), 'some value');
});

test('another key of the same term does not open it', () => {
  const record = sealRecord(key, 'k', 'v');
  assert.throws(() => openRecord({ term: 7, key: createSecretKey(randomBytes(32)) }, 'k', record), corrupt('k'));
  assert.throws(() => openRecord({ ...key, term: 8 }, 'k', record), corrupt('k'));
});

test('no nonce comes twice, over several fillings of the pool', () => {
  const nonces = new Set<string>();
  for (let i = 0; i < 5_000; i++) nonces.add(sealRecord(key, 'k', '').toString('hex', 5, 17));
  assert.equal(nonces.size, 5_000);
});

test('termOf reads the term, or says that the bytes are no record', () => {
  const record = sealRecord({ ...key, term: 0xffff_ffff }, 'k', '');
  assert.equal(termOf(record), 0xffff_ffff);
  assert.equal(termOf(record.subarray(0, 32)), undefined);
  assert.equal(termOf(Buffer.concat([Buffer.from([2]), record.subarray(1)])), undefined);
});
