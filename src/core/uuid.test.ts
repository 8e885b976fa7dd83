import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { uuidOf } from './uuid.ts';

test('a UUID of version 4 and variant 10, all other bits as given', () => {
  assert.equal(uuidOf(Buffer.alloc(16)), '00000000-0000-4000-8000-000000000000');
  assert.equal(uuidOf(Buffer.alloc(16, 0xff)), 'ffffffff-ffff-4fff-bfff-ffffffffffff');
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      const given = Buffer.from(bytes);
      assert.match(uuidOf(given), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      assert.deepEqual(given, Buffer.from(bytes), 'the bytes given are not changed');
    }),
  );
});
