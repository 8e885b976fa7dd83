import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Envelope, EnvelopeHalf } from './envelope.ts';

function pair(): readonly [Envelope, Envelope] {
  const [one, other] = [new EnvelopeHalf(), new EnvelopeHalf()];
  return [one.with(Uint8Array.from(other.open)), other.with(one.open)];
}

test('what one end puts in, the other takes out, both ways', () => {
  const [one, other] = pair();
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), fc.boolean(), (bytes, back) => {
      const [from, to] = back ? [other, one] : [one, other];
      const wrapped = from.wrap(Buffer.from(bytes));
      assert.equal(wrapped.length, bytes.length + 28);
      assert.deepEqual(to.unwrap(Uint8Array.from(wrapped)), Buffer.from(bytes));
    }),
  );
});

test('the same key is never put in twice alike, and does not show', () => {
  const [one] = pair();
  const key = Buffer.alloc(32, 7);
  assert.notDeepEqual(one.wrap(key), one.wrap(key));
  assert.ok(!one.wrap(key).includes(key.subarray(0, 8)));
});

test('an envelope of which one bit is another, or that is cut, does not open', () => {
  const [one, other] = pair();
  const wrapped = one.wrap(Buffer.alloc(32, 7));
  for (let at = 0; at < wrapped.length; at++) {
    const altered = Buffer.from(wrapped);
    altered[at] = (altered[at] ?? 0) ^ 1;
    assert.throws(() => other.unwrap(altered), `byte ${at}`);
  }
  for (let length = 0; length < wrapped.length; length++)
    assert.throws(() => other.unwrap(wrapped.subarray(0, length)));
});

test('an envelope of another pair does not open', () => {
  const [[one], [, stranger]] = [pair(), pair()];
  assert.throws(() => stranger.unwrap(one.wrap(Buffer.alloc(32))));
});
