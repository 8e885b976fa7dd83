import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Awaitable, SealedTransaction } from '../../barrier/index.ts';
import { backOff } from '../../leases/ending.ts';
import { readLease } from '../../leases/record.ts';
import { at } from '../../sys/testing.ts';
import { Jobs } from '../jobs.ts';
import { readMounts, writeMounts } from '../state.ts';
import { LeaseServer, type Lent } from './testing.ts';

const fail = (leases: LeaseServer, how: string, mount = 'lend'): Promise<unknown> =>
  leases.server.call('POST', `${mount}/failing`, { body: { how } });
const mend = (leases: LeaseServer, mount = 'lend'): Promise<unknown> =>
  leases.server.call('DELETE', `${mount}/failing`);
const count = async (leases: LeaseServer): Promise<unknown> =>
  at((await leases.server.call('GET', 'sys/leases/count?type=irrevocable')).json, 'data');
const list = async (leases: LeaseServer, more = ''): Promise<unknown> =>
  at((await leases.server.call('GET', `sys/leases?type=irrevocable${more}`)).json, 'data');
const accessorOf = async ({ server }: LeaseServer, mount = 'lend'): Promise<unknown> =>
  at((await server.call('GET', `sys/mounts/${mount}`)).json, 'accessor');
/** Lets the runner fail so often, each time once the lease is due. */
const failTimes = async (leases: LeaseServer, times: number, from = 0): Promise<void> => {
  for (let i = 0; i < times; i++) {
    await leases.settle();
    leases.pass(backOff(from + i + 1) / 1_000);
  }
};

test('between two attempts a second passes, then twice as long, at most an hour', () => {
  for (const [failures, millis] of [
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [12, 2_048_000],
    [13, 3_600_000],
    [14, 3_600_000],
    [10_000, 3_600_000],
  ] as const) {
    assert.equal(backOff(failures), millis, String(failures));
  }
});

describe('a lease that its engine fails to take back', () => {
  const ends: readonly (readonly [string, number, (leases: LeaseServer, lent: Lent) => Promise<unknown>])[] = [
    ['expired', 0, async (leases) => leases.pass(3_600)],
    ['revoked', 503, async (leases, { name }) => (await leases.call('revoke', { lease_id: name })).status],
    [
      'revoked in the background',
      202,
      async (leases, { name }) => (await leases.call('revoke', { lease_id: name, sync: false })).status,
    ],
    ['revoked by its path', 204, async (leases) => (await leases.call('revoke-prefix/lend/creds')).status],
    [
      'revoked by its name as a prefix',
      503,
      async (leases, { name }) => (await leases.call(`revoke-prefix/${name}`)).status,
    ],
  ];
  for (const how of ['refuse', 'hunter2']) {
    for (const [ended, status, end] of ends) {
      test(`${ended}, ${how}: dead at once, tried again after 1, 2, 4 … seconds, and gone in the end`, async () => {
        const leases = await LeaseServer.open();
        const lent = await leases.lend();
        await fail(leases, how);
        const answered = await end(leases, lent);
        if (status > 0) assert.equal(answered, status);
        const tried = status === 503 ? 1 : 0;
        if (tried === 1) leases.pass(1);
        await failTimes(leases, 2 - tried, tried);
        await leases.settle();
        assert.equal(await leases.sees(lent), 'dead', 'and what the engine wrote before it threw counts for nothing');
        await mend(leases);
        leases.pass(3.999);
        await leases.settle();
        assert.equal(await leases.sees(lent), 'dead', 'not due yet');
        leases.pass(0.001);
        await leases.settle();
        assert.equal(await leases.sees(lent), 'gone');
        assert.deepEqual(leases.leases(), []);
      });
    }
  }

  test('is shown by a look-up with what the engine said, without what was not meant to be shown, and not renewed', async () => {
    for (const [how, said] of [
      ['refuse', 'the borrower does not answer'],
      ['hunter2', 'the engine failed: see the log of the server'],
    ] as const) {
      const leases = await LeaseServer.open();
      const lent = await leases.lend();
      await fail(leases, how);
      const refused = await leases.call('revoke', { lease_id: lent.name });
      assert.equal(refused.status, 503);
      assert.doesNotMatch(refused.text, /hunter2/);
      leases.pass(5);
      const { status, json, text } = await leases.call('lookup', { lease_id: lent.name });
      assert.equal(status, 200);
      assert.deepEqual(
        [at(json, 'data', 'revoke_error'), at(json, 'data', 'ttl'), at(json, 'data', 'renewable')],
        [said, 0, false],
      );
      assert.doesNotMatch(text, /hunter2/);
      assert.equal((await leases.call('renew', { lease_id: lent.name })).status, 400);
      assert.equal((await leases.call('revoke', { lease_id: lent.name })).status, 503, 'tried again');
      await mend(leases);
      assert.equal((await leases.call('revoke', { lease_id: lent.name })).status, 204);
      assert.equal(await leases.sees(lent), 'gone');
    }
  });

  test('is irrevocable after six failures: counted and listed by its mount, and tried on', async () => {
    const leases = await LeaseServer.open();
    const lent = [await leases.lend({ ttl: 10 }), await leases.lend({ ttl: 5 })];
    await fail(leases, 'refuse');
    leases.pass(10);
    await failTimes(leases, 5);
    assert.deepEqual(await count(leases), { lease_count: 0, counts: {} });
    assert.deepEqual(await list(leases), { lease_count: 0, leases: [] });
    await leases.settle();
    const mount_id = await accessorOf(leases);
    assert.deepEqual(await count(leases), { lease_count: 2, counts: { [String(mount_id)]: 2 } });
    const shown = lent.map(({ name }) => ({ lease_id: name, mount_id, error: 'the borrower does not answer' }));
    assert.deepEqual(await list(leases), { lease_count: 2, leases: shown.toReversed() });
    assert.deepEqual(await list(leases, '&limit=none'), { lease_count: 2, leases: shown.toReversed() });
    const { json } = await leases.server.call('GET', 'sys/leases?type=irrevocable&limit=1');
    assert.equal(at(json, 'data', 'lease_count'), 1);
    assert.match(String(at(json, 'warnings', '0')), /there are more/);
    await mend(leases);
    leases.pass(32);
    await leases.settle();
    assert.deepEqual(await count(leases), { lease_count: 0, counts: {} });
    assert.deepEqual(leases.leases(), []);
  });

  test('is forgotten by revoke-force, and by nothing less', async () => {
    for (const path of ['lend', 'lend/', 'lend/creds', 'lend/creds/r/', 'NAME']) {
      const leases = await LeaseServer.open();
      const lent = await leases.lend();
      await fail(leases, 'refuse');
      leases.pass(3_600);
      await failTimes(leases, 6);
      const below = path === 'NAME' ? lent.name : path;
      assert.equal((await leases.call(`revoke-prefix/${below}`)).status, path === 'NAME' ? 503 : 204);
      await leases.settle();
      assert.equal(leases.stored('lease/').length, 1);
      assert.equal((await leases.call(`revoke-force/${below}`)).status, 204, path);
      await leases.settle();
      assert.deepEqual(leases.leases(), []);
      assert.deepEqual(await count(leases), { lease_count: 0, counts: {} });
      assert.deepEqual(await leases.pending(), []);
    }
  });

  test('stands in the way of no other', async () => {
    const leases = await LeaseServer.open();
    await leases.server.call('POST', 'sys/mounts/other', { body: { type: 'lender' } });
    const bad: Lent[] = [];
    for (let i = 0; i < 20; i++) bad.push(await leases.lend({ ttl: 1 }));
    await fail(leases, 'refuse');
    leases.pass(1);
    const good = await leases.lend({ ttl: 1 }, leases.server.root, 'other/creds/r');
    leases.pass(1);
    await leases.settle();
    assert.equal(await leases.sees(good, 'other'), 'gone');
    for (const one of bad) assert.equal(await leases.sees(one), 'dead');
  });
});

test('what is asked of irrevocable leases that makes no sense is 400', async () => {
  const leases = await LeaseServer.open();
  for (const [path, field] of [
    ['sys/leases', 'type'],
    ['sys/leases?type=', 'type'],
    ['sys/leases?type=all', 'type'],
    ['sys/leases/count', 'type'],
    ['sys/leases/count?type=all', 'type'],
    ['sys/leases?type=irrevocable&limit=0', 'limit'],
    ['sys/leases?type=irrevocable&limit=-1', 'limit'],
    ['sys/leases?type=irrevocable&limit=some', 'limit'],
    ['sys/leases?type=irrevocable&limit=1.5', 'limit'],
    ['sys/leases/count?type=irrevocable&include_child_namespaces=maybe', 'include_child_namespaces'],
  ] as const) {
    const { status, json } = await leases.server.call('GET', path);
    assert.equal(status, 400, path);
    assert.match(String(at(json, 'errors', '0')), new RegExp(`^${field}: `));
  }
});

describe('the end of a mount (B10)', () => {
  test('has its engine take back what it lent, and then its data removed', async () => {
    const leases = await LeaseServer.open();
    const [before] = leases.stored('mount/');
    assert.equal(before, undefined);
    const lent = [await leases.lend(), await leases.lend({}, leases.server.root, 'lend/creds/deep/path')];
    await leases.server.call('DELETE', 'sys/mounts/lend');
    for (const { name } of lent) assert.equal(await leases.known(name), false);
    assert.equal((await leases.server.call('LIST', 'sys/leases/lookup/lend')).status, 404);
    await leases.server.call('POST', 'sys/mounts/lend', { body: { type: 'lender' } });
    const own = await leases.lend();
    for (const { name } of lent) assert.equal(await leases.known(name), false);
    await leases.settle();
    assert.deepEqual([await leases.sees(own), await leases.known(own.name)], ['lives', true]);
    assert.equal(leases.stored('mount/').length, 1);
    assert.deepEqual(await leases.pending(), []);
  });

  test('keeps its data for as long as its engine fails; shown, tried again, and forgotten by revoke-force', async () => {
    for (const how of ['mended', 'forced'] as const) {
      const leases = await LeaseServer.open();
      const mount_id = await accessorOf(leases);
      const lent = await leases.lend();
      await fail(leases, 'refuse');
      assert.equal((await leases.server.call('DELETE', 'sys/mounts/lend')).status, 204);
      await leases.settle();
      await failTimes(leases, 6, 1);
      assert.equal(leases.stored('mount/').length, 2, 'the lent and how it fails');
      assert.equal(leases.stored('lease/').length, 1);
      assert.deepEqual(await count(leases), { lease_count: 1, counts: { [String(mount_id)]: 1 } });
      assert.deepEqual(await list(leases), {
        lease_count: 1,
        leases: [{ lease_id: lent.name, mount_id, error: 'the borrower does not answer' }],
      });
      if (how === 'forced') {
        for (const path of ['none', 'lend2']) await leases.call(`revoke-force/${path}`);
        await leases.settle();
        assert.equal(leases.stored('lease/').length, 1);
        await leases.call('revoke-force/lend');
      } else {
        const [failing] = leases.stored('mount/').filter((key) => key.endsWith('/failing'));
        await leases.server.service.barrier.transact((tx) => tx.delete(failing ?? ''));
        leases.pass(3_600);
      }
      await leases.settle();
      leases.pass(600);
      await leases.settle();
      assert.deepEqual(leases.leases(), []);
      assert.deepEqual([...(await leases.pending()), ...leases.stored('mount/')], []);
    }
  });

  test('of which the engine is gone from this version is forgotten', async () => {
    const leases = await LeaseServer.open();
    await leases.lend();
    const { service } = leases.server;
    await service.barrier.transact(async (tx) => {
      const mounts = await readMounts(tx);
      writeMounts(
        tx,
        mounts.map((mount) => (mount.path === 'lend/' ? { ...mount, type: 'retired' } : mount)),
      );
    });
    leases.pass(3_600);
    await leases.settle();
    assert.deepEqual(leases.leases(), []);
  });

  test('of an auth method ends its logins at once, and they are removed', async () => {
    const leases = await LeaseServer.open();
    const before = leases.stored('token/', 'accessor/', 'lease-of/', 'due/').length;
    const tokens: string[] = [];
    for (let i = 0; i < 40; i++) tokens.push(await leases.login(`user-${i}`));
    await leases.server.call('DELETE', 'sys/auth/gate');
    for (const token of tokens) assert.equal(await leases.lives(token), false);
    await leases.server.call('POST', 'sys/auth/gate', { body: { type: 'gate' } });
    for (const token of tokens) assert.equal(await leases.lives(token), false);
    await leases.settle();
    assert.equal(leases.stored('token/', 'accessor/', 'lease-of/', 'due/').length, before);
    for (const token of tokens) assert.equal(await leases.lives(token), false);
    assert.deepEqual(await leases.pending(), []);
  });
});

test('sealed in the midst of taking back, that is no failure of the engine', async () => {
  const leases = await LeaseServer.open({ rehearse: false });
  const lent = await leases.lend();
  const { service, unsealKey, logged } = leases.server;
  const { barrier } = service;
  leases.pass(3_600);
  let sealed = 0;
  // The engine's first look at its store.
  const sealingAt = (tx: SealedTransaction): SealedTransaction =>
    new Proxy(tx, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...given: readonly unknown[]) => {
          if (name === 'get' && String(given[0]).endsWith('/failing') && ++sealed > 0) void service.seal();
          return Reflect.apply(member, target, given);
        };
      },
    });
  const sealing = {
    get sealed() {
      return barrier.sealed;
    },
    transact: <T>(fn: (tx: SealedTransaction) => Awaitable<T>) => barrier.transact((tx) => fn(sealingAt(tx))),
  };
  await new Jobs({ ...service, barrier: sealing }, { clock: () => leases.now }).settle();
  assert.equal(sealed, 1);
  await barrier.submit(unsealKey);
  const record = await barrier.transact((tx) => readLease(tx, lent.id));
  assert.deepEqual([record?.failures, record?.error, logged], [undefined, undefined, []]);
  leases.pass(5);
  await leases.settle();
  assert.equal(await leases.sees(lent), 'gone');
});
