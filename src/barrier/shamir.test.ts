import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { combine, split } from 'shamir-secret-sharing';
import { combineShares, invert, multiply, splitSecret } from './shamir.ts';

/** Polynomials over GF(2), multiplied and divided the long way: another road to the same product. */
function schoolbook(a: number, b: number): number {
  let product = 0;
  for (let i = 0; i < 8; i++) if ((b & (1 << i)) !== 0) product ^= a << i;
  for (let i = 14; i >= 8; i--) if ((product & (1 << i)) !== 0) product ^= 0x11b << (i - 8);
  return product;
}

test('products and inverses of the field, all of them', () => {
  for (let a = 0; a < 256; a++) {
    for (let b = 0; b < 256; b++) assert.equal(multiply(a, b), schoolbook(a, b));
    assert.equal(multiply(a, invert(a)), a === 0 ? 0 : 1);
  }
  assert.equal(multiply(0x57, 0x83), 0xc1, 'the example of FIPS 197 §4.2');
});

const COUNTS = [
  [1, 1],
  [2, 2],
  [3, 2],
  [5, 3],
  [255, 2],
  [255, 255],
] as const;

for (const [shares, threshold] of COUNTS) {
  test(`any ${threshold} of ${shares} give the secret, one less does not`, () => {
    const secret = randomBytes(32);
    const split = splitSecret(secret, shares, threshold);
    assert.equal(split.length, shares);
    assert.equal(new Set(split.map((share) => share.toString('hex'))).size, shares);
    for (const share of split) assert.equal(share.length, threshold === 1 ? 32 : 33);
    assert.deepEqual(combineShares(split.slice(0, threshold)), secret);
    assert.deepEqual(combineShares(split.slice(-threshold).reverse()), secret);
    if (threshold > 2) assert.notDeepEqual(combineShares(split.slice(1, threshold)), secret);
  });
}

test('shares are of one kind with the audited library, both ways, whichever shares are taken', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 40 }),
      fc.integer({ min: 2, max: 8 }),
      fc.integer({ min: 2, max: 8 }),
      fc.infiniteStream(fc.nat()),
      async (bytes, a, b, order) => {
        const [threshold, shares] = [Math.min(a, b), Math.max(a, b)];
        const secret = Uint8Array.from(bytes);
        const pick = <T>(all: readonly T[]): T[] => {
          const left = [...all];
          return Array.from({ length: threshold }, () =>
            left.splice((order.next().value ?? 0) % left.length, 1),
          ).flat();
        };
        const ours = splitSecret(Buffer.from(secret), shares, threshold);
        assert.deepEqual(await combine(pick(ours).map((share) => Uint8Array.from(share))), secret);
        const theirs = await split(secret, shares, threshold);
        assert.deepEqual(combineShares(pick(theirs).map((share) => Buffer.from(share))), Buffer.from(secret));
      },
    ),
    { numRuns: 100 },
  );
});

test('a share alone tells nothing: each byte of it takes every value, whatever the secret', () => {
  const seen = new Set<number>();
  for (let i = 0; i < 8_000 && seen.size < 256; i++) {
    const [share] = splitSecret(Buffer.from([42]), 2, 2);
    if (share !== undefined) seen.add(share.readUInt8(0));
  }
  assert.equal(seen.size, 256);
});

test('two shares of one x, and no shares, give no secret', () => {
  const secret = randomBytes(32);
  const [first] = splitSecret(secret, 3, 2);
  assert.ok(first);
  assert.notDeepEqual(combineShares([first, first]), secret);
  assert.throws(() => combineShares([]));
});
