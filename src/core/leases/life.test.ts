import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../sys/testing.ts';
import { LeaseServer, type Lent } from './testing.ts';

describe('a lease is born with an answer', () => {
  test('its name, how long it lives and whether it is renewable stand in the envelope', async () => {
    const { server } = await LeaseServer.open();
    const { status, json } = await server.call('POST', 'lend/creds/team/r', { body: { ttl: 60 } });
    assert.equal(status, 200);
    const id = String(at(json, 'data', 'id'));
    assert.equal(at(json, 'lease_id'), `lend/creds/team/r/${id}`);
    assert.equal(at(json, 'lease_duration'), 60);
    assert.equal(at(json, 'renewable'), true);
    assert.equal(at(json, 'auth'), null);
  });

  for (const [grant, duration] of [
    [{}, 3_600],
    [{ ttl: 1 }, 1],
    [{ ttl: 7_200 }, 7_200],
    [{ ttl: 7_201 }, 7_200],
    [{ max_ttl: 100 }, 100],
    [{ ttl: 100, max_ttl: 99 }, 99],
    [{ ttl: 100, max_ttl: 101 }, 100],
  ] as const) {
    test(`granted with ${JSON.stringify(grant)} it lives ${duration} s, to the millisecond`, async () => {
      const leases = await LeaseServer.open();
      const lent = await leases.lend(grant);
      assert.equal(lent.duration, duration);
      leases.pass(duration - 0.001);
      assert.deepEqual([await leases.sees(lent), await leases.known(lent.name)], ['lives', true]);
      leases.pass(0.001);
      assert.deepEqual([await leases.sees(lent), await leases.known(lent.name)], ['dead', false]);
      await leases.settle();
      assert.equal(await leases.sees(lent), 'gone');
      assert.deepEqual(leases.leases(), []);
    });
  }

  test('the mount says how long, as it is tuned', async () => {
    const leases = await LeaseServer.open();
    await leases.server.call('POST', 'sys/mounts/lend/tune', { body: { default_lease_ttl: 50, max_lease_ttl: 100 } });
    assert.equal((await leases.lend()).duration, 50);
    assert.equal((await leases.lend({ ttl: 101 })).duration, 100);
  });

  test('a wrapped one lies in the wrapping, and lives from when it was given', async () => {
    const leases = await LeaseServer.open();
    const { json } = await leases.server.call('POST', 'lend/creds/r', {
      body: { ttl: 60 },
      headers: { 'x-service-wrap-ttl': '50' },
    });
    assert.equal(at(json, 'lease_id'), '');
    leases.pass(40);
    const inner = await leases.server.call('POST', 'sys/wrapping/unwrap', {
      token: String(at(json, 'wrap_info', 'token')),
      body: {},
    });
    assert.equal(at(inner.json, 'lease_duration'), 60);
    assert.equal(await leases.known(String(at(inner.json, 'lease_id'))), true);
    leases.pass(20);
    assert.equal(await leases.known(String(at(inner.json, 'lease_id'))), false);
  });

  test('the last use of a token fetches none, and nothing is lent', async () => {
    const leases = await LeaseServer.open();
    const { json } = await leases.server.call('POST', 'auth/token/create', {
      body: { policies: ['borrower'], num_uses: 2 },
    });
    const token = String(at(json, 'auth', 'client_token'));
    await leases.lend({}, token);
    const { status, text } = await leases.server.call('POST', 'lend/creds/r', { body: {}, token });
    assert.equal(status, 400);
    assert.match(text, /last use of the token/);
    assert.equal(await leases.lives(token), false);
    await leases.settle();
    // What the use before it fetched has gone with the token.
    assert.deepEqual(leases.leases(), []);
    assert.equal(leases.stored('mount/').filter((key) => key.includes('/lent/')).length, 0);
  });
});

describe('a lease ends with its token (B7)', () => {
  type End = (leases: LeaseServer, token: string, parent: string) => unknown;
  const revoke = (leases: LeaseServer, token: string): unknown =>
    leases.server.call('POST', 'auth/token/revoke', { body: { token } });
  const ends: readonly (readonly [string, End])[] = [
    ['revoked', (leases, token) => revoke(leases, token)],
    ['revoked by itself', ({ server }, token) => server.call('POST', 'auth/token/revoke-self', { token })],
    ['expired', (leases) => leases.pass(3_600)],
    [
      'spent',
      (leases, token) =>
        Promise.all([1, 2, 3].map(() => leases.server.call('GET', 'auth/token/lookup-self', { token }))),
    ],
    ['whose parent is revoked', (leases, _, parent) => revoke(leases, parent)],
    ['whose auth method is gone', ({ server }) => server.call('DELETE', 'sys/auth/gate')],
    ['revoked as a lease', async (leases, token) => leases.call('revoke', { lease_id: await nameOf(leases, token) })],
    ['of which all are revoked', (leases) => leases.call('revoke-prefix/auth/gate')],
  ];
  const nameOf = async (leases: LeaseServer, token: string): Promise<string> => {
    const { json } = await leases.server.call('GET', 'auth/token/lookup-self', { token });
    const path = String(at(json, 'data', 'path'));
    const { json: listed } = await leases.server.call('LIST', `sys/leases/lookup/${path}`);
    const names = at(listed, 'data', 'keys');
    assert.ok(Array.isArray(names) && names.length === 1, JSON.stringify(names));
    return `${path}/${names[0]}`;
  };
  for (const [how, end] of ends) {
    for (const type of ['service', 'batch'] as const) {
      test(`${type} token ${how}: dead at once, gone after the sweep`, async () => {
        const leases = await LeaseServer.open();
        const parent = await leases.login('ada');
        const { json } = await leases.server.call('POST', 'auth/token/create', {
          token: parent,
          body: { type, ttl: '30m', policies: ['borrower'], ...(how === 'spent' ? { num_uses: 4 } : {}) },
        });
        const child = String(at(json, 'auth', 'client_token'));
        // A batch token is not revoked itself, nor are its uses counted: what is done to it is done to its parent.
        const alone = how === 'whose parent is revoked' ? child : parent;
        const token = type === 'batch' ? child : alone;
        if (how === 'spent' && type === 'batch') return;
        const lent: Lent[] = [];
        const borrower = how === 'spent' ? child : token;
        for (let i = 0; i < 3; i++) {
          if (how !== 'spent' || i === 0) lent.push(await leases.lend({}, borrower));
        }
        const other = await leases.lend();
        await end(leases, how === 'spent' ? child : parent, parent);
        for (const one of lent)
          assert.deepEqual([await leases.sees(one), await leases.known(one.name)], ['dead', false]);
        await leases.settle();
        if (how !== 'expired')
          assert.deepEqual([await leases.sees(other), await leases.known(other.name)], ['lives', true]);
        leases.pass(5 * 60);
        await leases.settle();
        for (const one of lent) assert.equal(await leases.sees(one), 'gone');
        assert.equal(leases.stored('lease/').length, how === 'expired' ? 0 : 1);
        assert.equal(leases.stored('lease-by/').length, how === 'expired' ? 0 : 1);
      });
    }
  }

  test('of a batch token it lives no longer than that', async () => {
    const leases = await LeaseServer.open();
    const { json } = await leases.server.call('POST', 'auth/token/create', {
      body: { type: 'batch', ttl: '100s', policies: ['borrower'] },
    });
    const token = String(at(json, 'auth', 'client_token'));
    leases.pass(0.5);
    const lent = await leases.lend({ ttl: 3_600 }, token);
    assert.deepEqual([lent.duration, lent.renewable], [100, false]);
    leases.pass(99.499);
    assert.equal(await leases.known(lent.name), true);
    leases.pass(0.001);
    assert.equal(await leases.known(lent.name), false);
    await leases.settle();
    assert.deepEqual(leases.stored('lease/', 'lease-by/'), []);
  });

  test('of more leases than one look tells all go', async () => {
    const leases = await LeaseServer.open();
    const token = await leases.login('ada');
    const lent: Lent[] = [];
    for (let i = 0; i < 70; i++) lent.push(await leases.lend({}, token));
    await leases.server.call('POST', 'auth/token/revoke', { body: { token } });
    await leases.settle();
    assert.deepEqual(leases.leases(), []);
    for (const one of lent) assert.equal(await leases.sees(one), 'gone');
  });

  test('a token of the same value that comes later has none of them', async () => {
    const leases = await LeaseServer.open();
    const make = () =>
      leases.server.call('POST', 'auth/token/create', { body: { id: 'chosen', policies: ['borrower'] } });
    await make();
    const lent = await leases.lend({}, 'chosen');
    await leases.server.call('POST', 'auth/token/revoke', { body: { token: 'chosen' } });
    await make();
    assert.deepEqual([await leases.sees(lent), await leases.known(lent.name)], ['dead', false]);
    const own = await leases.lend({}, 'chosen');
    await leases.settle();
    assert.deepEqual([await leases.sees(lent), await leases.sees(own)], ['gone', 'lives']);
  });
});

test('leases do not wait behind tokens: they are looked at beside them', async () => {
  const leases = await LeaseServer.open({ rehearse: false });
  for (let i = 0; i < 400; i++) await leases.login(`user-${i % 50}`);
  leases.pass(1);
  const lent = await leases.lend({ ttl: 3_599 });
  leases.pass(3_599);
  const settling = leases.settle();
  while ((await leases.sees(lent)) !== 'gone') await new Promise((resolve) => setImmediate(resolve));
  assert.ok(leases.stored('due/').length > 1, 'there are tokens left to look at');
  await settling;
  assert.deepEqual(leases.leases(), []);
});
