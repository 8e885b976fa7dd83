import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { memoryStore } from '../storage/memory.ts';
import { Keyring } from './keyring.ts';
import { loneKey } from './seal.ts';
import { Session, type SessionOptions } from './session.ts';
import { isSealed } from './testing.ts';
import { type Reservation, SealBudget } from './usage.ts';

const options: SessionOptions = {
  usage: { perTerm: 100, block: 10 },
  cacheBytes: 1_000,
  log: () => assert.fail('nothing to log'),
  clock: () => 0,
};

function reservation(root = loneKey(randomBytes(32))): Reservation {
  const keyring = Keyring.first(randomBytes(32), randomBytes(32), 0);
  return { keyring, raw: keyring.seal(root), seals: 10 };
}

test('I7: after close no key is reachable, though somebody still holds the session', async () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  assert.ok(typeof collect === 'function');
  const begin = (): { session: Session; keys: readonly WeakRef<object>[] } => {
    const root = loneKey(randomBytes(32));
    const first = reservation(root);
    const session = new Session(memoryStore(), root, first, options);
    session.seal('k', 'v');
    const { mac, active } = first.keyring;
    return { session, keys: [root.key, mac, active.key, first.keyring].map((key) => new WeakRef(key)) };
  };
  const { session, keys } = begin();
  const alive = async (): Promise<number> => {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    return keys.filter((key) => key.deref() !== undefined).length;
  };
  assert.equal(await alive(), 4);
  session.close();
  assert.equal(await alive(), 0);
  assert.throws(() => session.seal('k', 'v'), isSealed);
});

test('close forgets what was decoded', () => {
  const session = new Session(memoryStore(), loneKey(randomBytes(32)), reservation(), options);
  session.cache.set('k', Buffer.from('raw'), String, 'decoded', 100);
  assert.ok(session.cache.bytes > 0);
  session.close();
  assert.equal(session.cache.bytes, 0);
});

test('a budget adds blocks of its term, goes over to a newer one, and leaves a late older one aside', () => {
  const refill = (): Promise<never> => assert.fail('more than half is left');
  const first = reservation();
  const next = { ...first, keyring: first.keyring.next(randomBytes(32), 0), seals: 7 };
  const budget = new SealBudget(first, refill, () => 0);
  budget.grant(first);
  assert.deepEqual([budget.term, budget.left], [1, 20]);
  budget.grant(next);
  assert.deepEqual([budget.term, budget.left, budget.take()], [2, 7, next.keyring.active]);
  budget.grant(first);
  assert.deepEqual([budget.term, budget.left], [2, 6]);
});
