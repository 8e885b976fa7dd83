import { randomBytes, randomFillSync } from 'node:crypto';

/** Drawn at once: a draw costs as much for these as for the few bytes of one name. */
const POOL_BYTES = 4_096;
const MOST_OF_POOL = 64;

const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
let used = POOL_BYTES;

/** Random bytes of the platform's generator. What is given out is wiped from the pool, so that nothing else ever shows it. */
export function random(bytes: number): Buffer {
  if (bytes > MOST_OF_POOL) return randomBytes(bytes);
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const given = Buffer.from(pool.subarray(used, used + bytes));
  pool.fill(0, used, used + bytes);
  used += bytes;
  return given;
}
