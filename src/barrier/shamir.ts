/**
 * Shamir's secret sharing over GF(2^8) (reduction x^8 + x^4 + x^3 + x + 1), a polynomial for each byte. A share is the
 * bytes of y followed by its x, as in the rest of the family. No table is indexed by and no branch depends on a secret
 * ("known-attacks H2"): products are computed bit by bit, inverses as the 254th power.
 */
import { randomBytes } from 'node:crypto';

/** Product in GF(2^8) of two bytes. */
export function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = a;
  for (let bit = 0; bit < 8; bit++) {
    product ^= shifted & -((b >> bit) & 1);
    shifted = (shifted << 1) ^ (0x11b & -(shifted >> 7));
  }
  return product;
}

/** Inverse in GF(2^8): a^254, by the bits of 254; 0 for 0. */
export function invert(a: number): number {
  let power = a;
  let inverse = 1;
  for (let bit = 1; bit < 8; bit++) {
    power = multiply(power, power);
    inverse = multiply(inverse, power);
  }
  return inverse;
}

/** Splits a secret; counts as `checkShareCount` lets pass. One share is the secret itself. Shares are one byte longer. */
export function splitSecret(secret: Buffer, shares: number, threshold: number): Buffer[] {
  if (threshold === 1) return Array.from({ length: shares }, () => Buffer.from(secret));
  const out = Array.from({ length: shares }, (_, i) => {
    const share = Buffer.alloc(secret.length + 1);
    share[secret.length] = i + 1;
    return share;
  });
  for (const [at, byte] of secret.entries()) {
    const coefficients = randomBytes(threshold - 1);
    for (const [i, share] of out.entries()) {
      let y = 0;
      for (const coefficient of coefficients) y = multiply(y, i + 1) ^ coefficient;
      share[at] = multiply(y, i + 1) ^ byte;
    }
    coefficients.fill(0);
  }
  return out;
}

/** Puts a secret together from exactly `threshold` shares of one length; wrong shares give some other bytes. */
export function combineShares(shares: readonly Buffer[]): Buffer {
  const [only] = shares;
  if (only === undefined) throw new Error('no shares to combine');
  if (shares.length === 1) return Buffer.from(only);
  const length = only.length - 1;
  // Not `Buffer.alloc`: small ones lie in the heap of V8, which leaves copies where it moves them or lends them to OpenSSL.
  const secret = Buffer.from(new ArrayBuffer(length));
  for (const [i, share] of shares.entries()) {
    const weight = weightAtZero(shares, i, length);
    for (let at = 0; at < length; at++) secret[at] = byteAt(secret, at) ^ multiply(byteAt(share, at), weight);
  }
  return secret;
}

/** Lagrange's coefficient of share `i` at x = 0: the product of x_j / (x_i − x_j). */
function weightAtZero(shares: readonly Buffer[], i: number, xAt: number): number {
  const x = shares.map((share) => byteAt(share, xAt));
  let above = 1;
  let below = 1;
  for (const [j, other] of x.entries()) {
    if (j === i) continue;
    above = multiply(above, other);
    below = multiply(below, other ^ (x[i] ?? 0));
  }
  return multiply(above, invert(below));
}

const byteAt = (bytes: Buffer, at: number): number => bytes[at] ?? 0;
