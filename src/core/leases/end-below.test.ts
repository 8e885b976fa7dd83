import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { at } from '../../sys/testing.ts';
import { addCut, Cuts } from '../cuts.ts';
import { Jobs } from '../jobs.ts';
import { LeaseServer, type Lent } from './testing.ts';

const LIMITS = { defaultTtl: 1, maxTtl: 1 };

describe('a cut', () => {
  for (const [prefix, path, ended] of [
    ['', 'login/ada', true],
    ['', '', true],
    ['login/', 'login/ada', true],
    ['login/', 'login', true],
    ['login/', 'logins/ada', false],
    ['login/', 'Login/ada', false],
    ['login/a/', 'login/a', true],
    ['login/a/', 'login/a/b', true],
    ['login/a/', 'login/ab', false],
    ['login/a/', 'login', false],
    ['login/a/', '', false],
  ] as const) {
    test(`below "${prefix}" ends ${ended ? '' : 'nothing '}at "${path}"`, () => {
      const cuts = new Cuts([{ id: '', mount: 'm', prefix, at: 10, force: false }], LIMITS);
      assert.equal(cuts.ends({ mount: 'm', path }, 10), ended);
      assert.equal(cuts.ends({ mount: 'm', path }, 9), ended);
      assert.equal(cuts.ends({ mount: 'm', path }, 11), false);
      assert.equal(cuts.ends({ mount: 'n', path }, 10), false);
      for (const now of [9, 10, 11]) {
        assert.equal(cuts.issueTime({ mount: 'm', path }, now), ended ? 11 : now);
      }
    });
  }

  test('never ends what is given out after it', () => {
    const some = fc.record({ prefix: fc.constantFrom('', 'a/', 'a/b/'), at: fc.integer({ min: 0, max: 20 }) });
    fc.assert(
      fc.property(
        fc.array(some),
        fc.constantFrom('', 'a', 'a/b', 'b'),
        fc.integer({ min: 0, max: 20 }),
        (all, path, now) => {
          const cuts = new Cuts(
            all.map((cut) => ({ ...cut, id: '', mount: 'm', force: false })),
            LIMITS,
          );
          const time = cuts.issueTime({ mount: 'm', path }, now);
          assert.equal(cuts.ends({ mount: 'm', path }, time), false);
          assert.ok(time >= now);
        },
      ),
    );
  });
});

describe('revoke-prefix and revoke-force', () => {
  for (const word of ['revoke-prefix', 'revoke-force']) {
    for (const [path, gone] of [
      ['auth/gate/login/ada', ['ada', 'ada/x']],
      ['auth/gate/login/ada/', ['ada', 'ada/x']],
      ['auth/gate/login/ada/x', ['ada/x']],
      ['auth/gate/login', ['ada', 'ada/x', 'bob']],
      ['auth/gate', ['ada', 'ada/x', 'bob']],
      ['auth', ['ada', 'ada/x', 'bob']],
      ['auth/gate/login/a', []],
      ['auth/gat', []],
      ['auth/gate/login/none', []],
      ['lend', []],
      ['none', []],
    ] as const) {
      test(`${word}/${path} ends ${gone.join(', ') || 'nobody'}`, async () => {
        const leases = await LeaseServer.open();
        const tokens = new Map<string, string>();
        for (const name of ['ada', 'ada/x', 'bob']) tokens.set(name, await leases.login(name));
        const ended: readonly string[] = gone;
        const check = async (): Promise<void> => {
          for (const [name, token] of tokens) assert.equal(await leases.lives(token), !ended.includes(name), name);
        };
        assert.equal((await leases.call(`${word}/${path}`)).status, 204);
        await check();
        await leases.settle();
        await check();
        assert.equal(leases.stored('token/').length, 1 + 3 - gone.length);
        assert.deepEqual(await leases.pending(), []);
      });
    }
  }

  test('by PUT and at the older addresses too, in the background where that is wanted; with sudo', async () => {
    for (const [method, path, body, status] of [
      ['PUT', 'sys/leases/revoke-prefix/lend', {}, 204],
      ['POST', 'sys/leases/revoke-prefix/lend', { sync: false }, 202],
      ['PUT', 'sys/revoke-prefix/lend', {}, 204],
      ['POST', 'sys/revoke-force/lend', {}, 204],
      ['PUT', 'sys/leases/revoke-force/lend', {}, 204],
    ] as const) {
      const leases = await LeaseServer.open();
      const lent = await leases.lend();
      for (const [rule, expected] of [
        ['"update"', 403],
        ['"update", "sudo"', status],
      ] as const) {
        const token = await leases.server.tokenWith(`path "${path}" { capabilities = [${rule}] }`);
        assert.equal((await leases.server.call(method, path, { body, token })).status, expected);
        assert.equal(await leases.sees(lent), expected === 403 ? 'lives' : 'dead');
      }
    }
  });

  test('ends tokens that never expire, made by others, with what came from them; not the first root token', async () => {
    const leases = await LeaseServer.open();
    const make = async (token: string): Promise<string> => {
      const { json } = await leases.server.call('POST', 'auth/token/create', { token, body: { policies: ['root'] } });
      return String(at(json, 'auth', 'client_token'));
    };
    const parent = await make(leases.server.root);
    const child = await make(parent);
    await leases.call('revoke-prefix/auth/token/create');
    for (let look = 0; look < 2; look++) {
      assert.deepEqual([await leases.lives(parent), await leases.lives(child)], [false, false]);
      await leases.settle();
    }
    assert.equal(await leases.lives(leases.server.root), true);
    assert.equal(leases.stored('token/').length, 1);
  });

  test('a batch token ends with its parent, and else by itself: it is no lease', async () => {
    const leases = await LeaseServer.open();
    const parent = await leases.login('ada');
    const { json } = await leases.server.call('POST', 'auth/token/create', {
      token: parent,
      body: { type: 'batch', ttl: 60 },
    });
    const child = String(at(json, 'auth', 'client_token'));
    const alone = await leases.login('bob', 'batch');
    await leases.call('revoke-prefix/auth/gate');
    for (let look = 0; look < 2; look++) {
      assert.deepEqual([await leases.lives(child), await leases.lives(alone)], [false, true]);
      await leases.settle();
    }
  });

  test('what is given out in the same millisecond and after it lives, before, while and after the job', async () => {
    const leases = await LeaseServer.open();
    const tokens: string[] = [];
    for (let round = 0; round < 4; round++) {
      const before = await leases.login('ada');
      const lent = await leases.lend();
      assert.equal((await leases.call('revoke-prefix/auth/gate/login')).status, 204);
      assert.equal((await leases.call('revoke-prefix/lend')).status, 204);
      const after = await leases.login('ada');
      const again = await leases.lend();
      assert.deepEqual([await leases.lives(before), await leases.lives(after)], [false, true]);
      assert.deepEqual([await leases.sees(lent), await leases.sees(again)], ['dead', 'lives']);
      if (round === 2) await leases.settle();
      assert.deepEqual([await leases.lives(before), await leases.lives(after)], [false, true]);
      assert.deepEqual([(await leases.sees(lent)) === 'lives', await leases.sees(again)], [false, 'lives']);
      for (const earlier of tokens) assert.equal(await leases.lives(earlier), false);
      tokens.push(before, after);
    }
    await leases.settle();
    assert.equal(await leases.lives(tokens.at(-1) ?? ''), true);
    assert.deepEqual(await leases.pending(), []);
    assert.equal(leases.stored('lease/').length, 1);
  });

  test('too many under way are 503, and end nothing', async () => {
    const leases = await LeaseServer.open();
    const lent = await leases.lend();
    const { barrier } = leases.server.service;
    await barrier.transact(async (tx) => {
      for (let i = 0; i < 999; i++) await addCut(tx, { mount: 'none', prefix: `${i}/`, force: false });
    });
    assert.equal((await leases.call('revoke-prefix/lend/creds/none')).status, 204);
    await leases.login('ada');
    assert.equal((await leases.call('revoke-prefix/auth/gate')).status, 204);
    const { status, json } = await leases.call('revoke-prefix/lend');
    assert.equal(status, 503);
    assert.match(String(at(json, 'errors', '0')), /too many revocations/);
    assert.equal(await leases.sees(lent), 'lives');
    await leases.settle();
    assert.equal((await leases.call('revoke-prefix/lend')).status, 204);
    assert.equal(await leases.sees(lent), 'dead');
  });

  test('nothing to end leaves nothing behind, and changes nothing that is compiled', async () => {
    const leases = await LeaseServer.open();
    const revision = leases.server.store.contents().get('core/revision');
    await leases.call('revoke-prefix/lend');
    await leases.call('revoke-force/auth/gate');
    assert.deepEqual(await leases.pending(), []);
    assert.equal(leases.server.store.contents().get('core/revision'), revision);
  });
});

const MANY = 140;

/** A server with many logins and some leases, told to fail the next commits. */
async function crowd() {
  const faults = { next: 0, commits: 0 };
  const leases = await LeaseServer.open({
    rehearse: false,
    beforeCommit: () => {
      faults.commits += 1;
      if (faults.next > 0 && faults.next-- === 1) throw new Error('the disk is gone');
    },
  });
  const tokens: string[] = [];
  for (let i = 0; i < MANY; i++) tokens.push(await leases.login(`team-${i % 7}/user-${i}`));
  const lent: Lent[] = [];
  for (let i = 0; i < 10; i++) lent.push(await leases.lend({}, leases.server.root, `lend/creds/${i}`));
  return { leases, faults, tokens, lent };
}

describe('the job that removes what has ended', () => {
  test('goes on wherever it is killed, and all stays dead (B10)', async () => {
    for (const failing of [1, 2, 7, 14]) {
      const { leases, faults, tokens, lent } = await crowd();
      await leases.call('revoke-prefix/auth/gate');
      await leases.call('revoke-prefix/lend');
      const survivor = await leases.login('late');
      faults.next = failing;
      await leases.settle();
      // Another life of the process: nothing is known to it, and the claims of the one before have run out.
      leases.pass(5);
      for (const token of tokens) assert.equal(await leases.lives(token), false);
      const next = new Jobs(leases.server.service, { clock: () => leases.now });
      await next.settle();
      for (const one of lent) assert.equal(await leases.sees(one), 'gone');
      assert.equal(leases.stored('token/').length, 2, `killed at ${failing}`);
      assert.deepEqual([...(await leases.pending()), ...leases.stored('lease/', 'lease-by/')], []);
      assert.equal(await leases.lives(survivor), true);
      for (const token of tokens) assert.equal(await leases.lives(token), false);
    }
  });

  test('several runners at once harm nothing', async () => {
    const { leases, tokens } = await crowd();
    await leases.call('revoke-prefix/auth');
    const runners = [1, 2, 3].map(() => new Jobs(leases.server.service, { clock: () => leases.now }));
    await Promise.all(runners.map((runner) => runner.settle()));
    leases.pass(5);
    await leases.settle();
    assert.equal(leases.stored('token/').length, 1);
    assert.deepEqual(await leases.pending(), []);
    for (const token of tokens) assert.equal(await leases.lives(token), false);
  });

  test('passes by a record that is damaged', async () => {
    const { leases } = await crowd();
    const [damaged] = leases.stored('token/').slice(5, 6);
    const { store } = leases.server;
    await store.transact((tx) => tx.put(damaged ?? '', store.contents().get('core/revision') ?? Buffer.alloc(0)));
    await leases.call('revoke-prefix/auth');
    await leases.settle();
    assert.equal((await leases.pending()).length, 2, 'the end and its job, for the one that is left');
    assert.ok(leases.stored('token/').length <= 2, `${leases.stored('token/').length}`);
    assert.match(leases.server.logged.join(), /could not be removed/);
  });
});

test('what ended below a path stays dead while its record cannot be removed, and goes once it can', async () => {
  const leases = await LeaseServer.open();
  const before = leases.stored('accessor/');
  const tokens = [await leases.login('ada'), await leases.login('bob')];
  const { store } = leases.server;
  const [key = ''] = leases.stored('accessor/').filter((name) => !before.includes(name));
  const whole = store.contents().get(key);
  assert.ok(whole !== undefined);
  const put = (bytes: Buffer): Promise<void> => store.transact((tx) => tx.put(key, bytes));
  await put(Buffer.alloc(whole.length));
  assert.equal((await leases.call('revoke-prefix/auth/gate/login')).status, 204);
  for (let look = 0; look < 4; look++) {
    await leases.settle();
    assert.equal((await leases.pending()).length, 2);
    for (const token of tokens) assert.equal(await leases.lives(token), false);
    assert.equal(await leases.lives(await leases.login('eve')), true);
    leases.pass(600);
  }
  await put(whole);
  await leases.settle();
  assert.deepEqual(await leases.pending(), []);
  assert.deepEqual(leases.stored(key), []);
  for (const token of tokens) assert.equal(await leases.lives(token), false);
});
