import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../framework/errors.ts';
import { UnsealPace } from './pace.ts';
import { ShareProgress } from './progress.ts';

/** Shares that pass until the first 429, whose Retry-After is checked. */
function burst(pace: UnsealPace): number {
  for (let passed = 0; passed < 10_000; passed++) {
    try {
      pace.share();
    } catch (error) {
      assert.ok(error instanceof ServiceError && error.status === 429);
      const [name, seconds] = error.headers[0] ?? [];
      assert.ok(name === 'Retry-After' && Number(seconds) >= 1 && Number(seconds) <= 20);
      return passed;
    }
  }
  return 10_000;
}

test('I1: 320 shares at once, then 16 a second, never more than 320 saved up', () => {
  let now = 5_000;
  const pace = new UnsealPace(() => now);
  assert.equal(burst(pace), 320);
  assert.equal(burst(pace), 0);
  now += 1_000;
  assert.equal(burst(pace), 16);
  now += 3_600_000;
  assert.equal(burst(pace), 320);
});

test('I1: a wrong try costs 32 shares more, and holds up two seconds at most', () => {
  let now = 0;
  const pace = new UnsealPace(() => now);
  for (let i = 0; i < 319; i++) pace.share();
  pace.share();
  pace.wrongTry();
  now += 2_000;
  assert.equal(burst(pace), 0);
  now += 63;
  assert.equal(burst(pace), 1);
});

test('progress counts distinct shares, keeps copies, and wipes what it throws away', () => {
  const progress = new ShareProgress();
  assert.deepEqual([progress.count, progress.nonce], [0, '']);
  const share = Buffer.from('aa', 'hex');
  progress.add(share);
  const { nonce } = progress;
  assert.match(nonce, /^[0-9a-f-]{36}$/);
  progress.add(Buffer.from(share));
  assert.equal(progress.count, 1);
  progress.add(Buffer.from('bb', 'hex'));
  progress.add(Buffer.from('aabb', 'hex'));
  assert.deepEqual([progress.count, progress.nonce], [3, nonce]);
  share.fill(0);
  assert.deepEqual(
    progress.take().map((held) => held.toString('hex')),
    ['aa', 'bb', 'aabb'],
  );
  assert.deepEqual([progress.count, progress.nonce], [0, '']);
  progress.add(Buffer.from('cc', 'hex'));
  assert.notEqual(progress.nonce, nonce);
  progress.reset();
  assert.deepEqual([progress.count, progress.nonce], [0, '']);
});
