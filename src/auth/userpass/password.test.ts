import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { scanJson } from '../../framework/json/index.ts';
import { optionalPassword, Passwords, passwordKind } from './password.ts';
import { Turns } from './turns.ts';

const CHEAP = { N: 16, r: 1, p: 1 };
const DEARER = { N: 32, r: 1, p: 2 };

describe('a password', () => {
  test('matches its hash alone, which has a salt of its own and its parameters', async () => {
    const passwords = new Passwords(CHEAP);
    const [one, other] = await Promise.all([passwords.hash('pw'), passwords.hash('pw')]);
    assert.notEqual(one.salt, other.salt);
    assert.notEqual(one.key, other.key);
    assert.deepEqual(one.cost, CHEAP);
    for (const [given, matches] of [
      ['pw', true],
      ['Pw', false],
      ['pw ', false],
      ['', false],
      ['pw\u0000', false],
    ] as const) {
      assert.deepEqual(await passwords.check(given, one), { matches, renewed: undefined });
    }
  });

  test('matches nobody’s', async () => {
    assert.deepEqual(await new Passwords(CHEAP).check('', undefined), { matches: false, renewed: undefined });
  });

  test('under older parameters is still good, and hashed anew, whether it is right or not', async () => {
    const old = await new Passwords(CHEAP).hash('pw');
    const passwords = new Passwords(DEARER);
    const right = await passwords.check('pw', old);
    assert.equal(right.matches, true);
    assert.deepEqual(right.renewed?.cost, DEARER);
    assert.deepEqual(await passwords.check('pw', right.renewed), { matches: true, renewed: undefined });
    const wrong = await passwords.check('no', old);
    assert.equal(wrong.matches, false);
    assert.notEqual(wrong.renewed, undefined);
  });

  test('has 1 to 1,024 bytes', () => {
    const read = (value: unknown) => passwordKind().parse('password', scanJson(JSON.stringify(value)));
    assert.equal(read('x'.repeat(1024)).length, 1024);
    assert.equal(read(12345), '12345');
    for (const bad of ['', 'x'.repeat(1025), 'é'.repeat(513), null, {}, []]) {
      assert.throws(
        () => read(bad),
        (error: Error) => !error.message.includes('xx') && 'status' in error,
        `${bad}`,
      );
    }
    const optional = (value: unknown) => optionalPassword().parse('password', scanJson(JSON.stringify(value)));
    assert.equal(optional(''), undefined);
    assert.equal(optional(null), undefined);
    assert.equal(optional('x'), 'x');
    assert.throws(() => optional('x'.repeat(1025)), { status: 400 });
  });
});

test('a flood of logins keeps nobody from setting a password', async () => {
  const turns = new Turns(1, 0);
  let end = (): void => {};
  const flood = turns.take(() => new Promise<void>((resolve) => (end = resolve)));
  const passwords = new Passwords(CHEAP, turns);
  await assert.rejects(passwords.check('pw', undefined), { status: 503 });
  const stored = await passwords.hash('pw');
  end();
  await flood;
  assert.deepEqual(await passwords.check('pw', stored), { matches: true, renewed: undefined });
});

describe('turns', () => {
  test('a few at once, some waiting in their order, the rest 503 with Retry-After', async () => {
    const turns = new Turns(2, 3);
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const work = (id: number) => () => {
      begun.push(id);
      return new Promise<number>((resolve) => ends.push(() => resolve(id)));
    };
    const taken = [0, 1, 2, 3, 4].map((id) => turns.take(work(id)));
    await assert.rejects(turns.take(work(5)), { status: 503, headers: [['Retry-After', '1']] });
    assert.deepEqual(begun, [0, 1]);
    for (let id = 0; id < 5; id++) {
      ends[id]?.();
      assert.equal(await taken[id], id);
    }
    assert.deepEqual(begun, [0, 1, 2, 3, 4]);
    assert.equal(await turns.take(async () => 6), 6);
  });

  test('work that fails gives its place on', async () => {
    const turns = new Turns(1, 1);
    const [failed, next] = [turns.take(() => Promise.reject(new Error('no'))), turns.take(async () => 'yes')];
    await assert.rejects(failed, /no/);
    assert.equal(await next, 'yes');
    assert.equal(await turns.take(async () => 'again'), 'again');
  });
});
