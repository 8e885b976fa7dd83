import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../sys/testing.ts';
import { LeaseServer } from './testing.ts';

const keysOf = (json: unknown): unknown => at(json, 'data', 'keys');

describe('sys/leases/lookup', () => {
  test('shows a lease, by POST and by PUT', async () => {
    const leases = await LeaseServer.open();
    const { name } = await leases.lend({ ttl: 60 });
    leases.pass(10.5);
    for (const method of ['POST', 'PUT']) {
      const { status, json } = await leases.server.call(method, 'sys/leases/lookup', { body: { lease_id: name } });
      assert.equal(status, 200);
      assert.deepEqual(at(json, 'data'), {
        id: name,
        path: 'lend/creds/r',
        issue_time: '2026-01-02T03:04:05.000Z',
        expire_time: '2026-01-02T03:05:05.000Z',
        last_renewal: null,
        renewable: true,
        ttl: 50,
      });
    }
  });

  test('shows a token as a lease of its auth method', async () => {
    const leases = await LeaseServer.open();
    await leases.login('team/ada');
    const { json } = await leases.server.call('LIST', 'sys/leases/lookup/auth/gate/login/team/ada');
    const [id] = [keysOf(json)].flat();
    assert.match(String(id), /^h[A-Za-z0-9_-]{56}$/);
    const { json: shown } = await leases.call('lookup', { lease_id: `auth/gate/login/team/ada/${id}` });
    assert.deepEqual(at(shown, 'data'), {
      id: `auth/gate/login/team/ada/${id}`,
      path: 'auth/gate/login/team/ada',
      issue_time: '2026-01-02T03:04:05.000Z',
      expire_time: '2026-01-02T04:04:05.000Z',
      last_renewal: null,
      renewable: true,
      ttl: 3_600,
    });
  });

  test('lists folders and leases, where mounts are now; with sudo', async () => {
    const leases = await LeaseServer.open();
    const { id } = await leases.lend();
    await leases.lend({}, leases.server.root, 'lend/creds/team/s');
    await leases.login('ada');
    const list = async (path: string, token?: string) =>
      leases.server.call('LIST', `sys/leases/lookup${path}`, token === undefined ? {} : { token });
    const table = [
      ['', ['auth/', 'lend/']],
      ['/', ['auth/', 'lend/']],
      ['/auth', ['gate/']],
      ['/auth/gate', ['login/']],
      ['/lend/', ['creds/']],
      ['/lend/creds', ['r/', 'team/']],
      ['/lend/creds/r', [id]],
      ['/lend/creds/team', ['s/']],
    ] as const;
    for (const [path, names] of table) {
      const { status, json, text } = await list(path);
      assert.equal(status, 200, text);
      assert.deepEqual(keysOf(json), names, path);
    }
    const { json } = await leases.server.call('GET', 'sys/leases/lookup?list=true&after=auth/&limit=1');
    assert.deepEqual(keysOf(json), ['lend/']);
    for (const path of ['/none', '/lend/creds/none', '/auth/token']) assert.equal((await list(path)).status, 404, path);
    for (const [rule, status] of [
      ['"list"', 403],
      ['"list", "sudo"', 200],
    ] as const) {
      const token = await leases.server.tokenWith(`path "sys/leases/lookup/*" { capabilities = [${rule}] }`);
      assert.equal((await list('/lend', token)).status, status, rule);
    }
  });
});

describe('what is no lease any more, or never was (B8)', () => {
  type Make = (leases: LeaseServer) => Promise<string>;
  const nobodys: readonly (readonly [string, Make])[] = [
    ['unknown', async () => 'no/such/lease'],
    [
      'of an unknown id',
      async ({ server }) => `lend/creds/r/${Buffer.from(server.root).toString('base64url').slice(0, 22)}`,
    ],
    ['a token that there is not', async () => `auth/gate/login/ada/h${'a'.repeat(56)}`],
    ['of another path', async (leases) => (await leases.lend()).name.replace('creds/r', 'creds/s')],
    ['of another mount', async (leases) => (await leases.lend()).name.replace('lend/', 'other/')],
    ['its id alone', async (leases) => (await leases.lend()).id],
    ['written with a slash more', async (leases) => `/${(await leases.lend()).name}`],
    ['long', async () => `${'a/'.repeat(5_000)}b`],
    ['a name of an object', async () => '__proto__'],
    [
      'expired',
      async (leases) => {
        const { name } = await leases.lend({ ttl: 1 });
        leases.pass(1);
        return name;
      },
    ],
    [
      'revoked',
      async (leases) => {
        const { name } = await leases.lend();
        await leases.call('revoke', { lease_id: name });
        return name;
      },
    ],
  ];
  for (const [what, make] of nobodys) {
    test(`${what}: lookup and renew are 400 in the same words, revoke 204`, async () => {
      const leases = await LeaseServer.open();
      const lease_id = await make(leases);
      const errors = await Promise.all(
        ['lookup', 'renew'].map(async (path) => {
          const { status, json } = await leases.call(path, { lease_id });
          assert.equal(status, 400, path);
          return at(json, 'errors');
        }),
      );
      for (const error of errors) assert.deepEqual(error, ['lease_id: there is no such lease']);
      assert.equal((await leases.call('revoke', { lease_id })).status, 204);
    });
  }

  test('none given is 400, with a sentence that names the field', async () => {
    const leases = await LeaseServer.open();
    for (const path of ['lookup', 'renew', 'revoke']) {
      for (const body of [{}, { lease_id: '' }, { lease_id: null }]) {
        const { status, json } = await leases.call(path, body);
        assert.equal(status, 400, path);
        assert.match(String(at(json, 'errors', '0')), /^lease_id: /);
      }
    }
  });

  test('whoever knows the name of one mount only reaches no lease of another', async () => {
    const leases = await LeaseServer.open();
    await leases.server.call('POST', 'sys/mounts/mine', { body: { type: 'lender' } });
    const theirs = await leases.lend();
    const token = await leases.server.tokenWith('path "sys/leases/+/mine/*" { capabilities = ["update"] }');
    for (const path of ['renew', 'revoke']) {
      await leases.call(`${path}/mine/creds/r/${theirs.id}`, {}, { token });
      assert.equal((await leases.call(`${path}/${theirs.name}`, {}, { token })).status, 403);
    }
    assert.equal(await leases.sees(theirs), 'lives');
  });
});

describe('sys/leases/renew', () => {
  const renew = async (leases: LeaseServer, name: string, more: object = {}) => {
    const { status, json } = await leases.call('renew', { lease_id: name, ...more });
    return status === 200 ? at(json, 'lease_duration') : status;
  };

  test('gives the lease again in the envelope; by PUT, in the path and at the older address too', async () => {
    const leases = await LeaseServer.open();
    const { name } = await leases.lend({ ttl: 60 });
    for (const [method, path, body] of [
      ['POST', 'sys/leases/renew', { lease_id: name, increment: 100 }],
      ['PUT', 'sys/leases/renew', { lease_id: name, increment: '100' }],
      ['PUT', `sys/leases/renew/${name}`, { increment: '100s' }],
      ['POST', `sys/leases/renew/${name}`, { increment: '1m40s' }],
      ['POST', 'sys/renew', { lease_id: name, increment: 100 }],
      ['PUT', `sys/renew/${name}`, { increment: 100 }],
    ] as const) {
      const { status, json } = await leases.server.call(method, path, { body });
      assert.equal(status, 200, path);
      assert.deepEqual(
        ['lease_id', 'lease_duration', 'renewable', 'data', 'auth', 'warnings'].map((member) => at(json, member)),
        [name, 100, true, null, null, null],
      );
    }
  });

  test('without an increment it is as the last time, with one from now, never beyond the maximum', async () => {
    const leases = await LeaseServer.open();
    const { name } = await leases.lend({ ttl: 100, max_ttl: 1_000 });
    leases.pass(50);
    assert.equal(await renew(leases, name), 100);
    assert.equal(await renew(leases, name, { increment: 30 }), 30);
    leases.pass(20);
    assert.equal(await renew(leases, name), 30);
    assert.equal(await renew(leases, name, { increment: '2m' }), 120);
    leases.pass(100);
    const { json } = await leases.call('renew', { lease_id: name, increment: 831 });
    assert.equal(at(json, 'lease_duration'), 830);
    assert.match(String(at(json, 'warnings', '0')), /^increment: /);
    assert.equal(await renew(leases, name, { increment: 830 }), 830);
    const { json: shown } = await leases.call('lookup', { lease_id: name });
    assert.equal(at(shown, 'data', 'last_renewal'), new Date(leases.now).toISOString());
    leases.pass(829.999);
    assert.equal(await leases.known(name), true);
    leases.pass(0.001);
    assert.equal(await leases.known(name), false);
    assert.equal(await renew(leases, name), 400);
  });

  test('the engine says how long, or refuses', async () => {
    const leases = await LeaseServer.open();
    const { name } = await leases.lend({ ttl: 100 });
    await leases.server.call('POST', 'lend/terms', { body: { ttl: 70, max_ttl: 90 } });
    assert.equal(await renew(leases, name), 70);
    assert.equal(await renew(leases, name, { increment: 80 }), 80);
    assert.equal(await renew(leases, name, { increment: 91 }), 90);
    assert.equal(await renew(leases, name, { increment: 13 }), 400);
  });

  test('what may not be: a lease that is not renewable, a token, a duration that is none', async () => {
    const leases = await LeaseServer.open();
    const { name } = await leases.lend({ renewable: false });
    const { status, text } = await leases.call('renew', { lease_id: name });
    assert.equal(status, 400);
    assert.match(text, /lease is not renewable/);
    await leases.login('ada');
    const { json } = await leases.server.call('LIST', 'sys/leases/lookup/auth/gate/login/ada');
    const token = `auth/gate/login/ada/${[keysOf(json)].flat()[0]}`;
    const refused = await leases.call('renew', { lease_id: token });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /auth\/token\/renew/);
    const renewable = await leases.lend();
    for (const increment of ['soon', -1, '-1s', 1.5, {}]) {
      const { status: bad, text: why } = await leases.call('renew', { lease_id: renewable.name, increment });
      assert.equal(bad, 400);
      assert.match(why, /increment: /);
    }
  });

  test('again and again in its last moments it ends all the same, to the millisecond (B6)', async () => {
    for (const step of [0.1, 0.25, 0.999, 0.001]) {
      const leases = await LeaseServer.open();
      const { name } = await leases.lend({ ttl: 2, max_ttl: 2 });
      leases.pass(step === 0.001 ? 1.9 : 1);
      const end = leases.now + (step === 0.001 ? 100 : 1_000);
      while (leases.now < end) {
        assert.equal(typeof (await renew(leases, name, { increment: 2 })), 'number');
        assert.equal(await leases.known(name), true);
        leases.pass(Math.min(step, (end - leases.now) / 1_000));
      }
      assert.equal(await leases.known(name), false);
      assert.equal(await renew(leases, name, { increment: 2 }), 400);
    }
  });
});

describe('sys/leases/revoke', () => {
  test('ends a lease: in the body, in the path, by PUT, at the older address; at once or in the background', async () => {
    const leases = await LeaseServer.open();
    for (const [method, path, body, expected] of [
      ['POST', 'sys/leases/revoke', { lease_id: '' }, 204],
      ['PUT', 'sys/leases/revoke', { lease_id: '', sync: true }, 204],
      ['PUT', 'sys/leases/revoke', { lease_id: '', sync: 'false' }, 202],
      ['PUT', 'sys/leases/revoke/', {}, 204],
      ['POST', 'sys/leases/revoke/', { sync: false }, 202],
      ['POST', 'sys/revoke', { lease_id: '' }, 204],
      ['PUT', 'sys/revoke/', {}, 204],
    ] as const) {
      const lent = await leases.lend();
      const other = await leases.lend();
      const inPath = path.endsWith('/');
      const { status } = await leases.server.call(method, inPath ? path + lent.name : path, {
        body: inPath ? body : { ...body, lease_id: lent.name },
      });
      assert.equal(status, expected, path);
      assert.equal(await leases.sees(lent), expected === 204 ? 'gone' : 'dead', path);
      assert.equal(await leases.known(lent.name), false);
      await leases.settle();
      assert.deepEqual([await leases.sees(lent), await leases.sees(other)], ['gone', 'lives']);
      await leases.call('revoke', { lease_id: other.name });
    }
    assert.deepEqual(leases.leases(), []);
  });

  test('a bad sync is 400 and ends nothing', async () => {
    const leases = await LeaseServer.open();
    const lent = await leases.lend();
    const { status, text } = await leases.call('revoke', { lease_id: lent.name, sync: 'yes' });
    assert.equal(status, 400);
    assert.match(text, /sync: /);
    assert.equal(await leases.sees(lent), 'lives');
  });

  test('after its mount has moved a lease is known by its name now and by that it was given with', async () => {
    for (const which of ['old', 'new'] as const) {
      const leases = await LeaseServer.open();
      const lent = await leases.lend();
      await leases.server.call('POST', 'sys/remount', { body: { from: 'lend', to: 'borrow' } });
      const name = lent.name.replace('lend/', 'borrow/');
      assert.equal(await leases.sees(lent, 'borrow'), 'lives');
      for (const known of [lent.name, name]) {
        const { json } = await leases.call('lookup', { lease_id: known });
        assert.equal(at(json, 'data', 'id'), name);
      }
      assert.deepEqual(keysOf((await leases.server.call('LIST', 'sys/leases/lookup')).json), ['borrow/']);
      await leases.call('revoke', { lease_id: which === 'old' ? lent.name : name });
      assert.equal(await leases.sees(lent, 'borrow'), 'gone');
    }
  });
});

describe('sys/leases/tidy', () => {
  test('finds what a fault left behind, and leaves what lives', async () => {
    const leases = await LeaseServer.open();
    const token = await leases.login('ada');
    const kept = await leases.lend({}, token);
    const [place] = leases.stored('lease-of/').filter((key) => key.endsWith(`/${kept.id}`));
    assert.ok(place !== undefined);
    const left = [place.replace(kept.id, 'x'.repeat(22)), place.replace(kept.id, `h${'x'.repeat(56)}`)];
    await leases.server.service.barrier.transact((tx) => {
      for (const key of left) tx.put(key, '');
    });
    const { status, json } = await leases.call('tidy');
    assert.equal(status, 202);
    assert.equal(Array.isArray(at(json, 'warnings')), true);
    assert.equal((await leases.call('tidy')).status, 202);
    assert.equal(leases.stored('job/').length, 1, 'one at a time');
    await leases.settle();
    for (const key of left) assert.equal(leases.server.store.contents().has(key), false);
    assert.deepEqual([await leases.sees(kept), await leases.lives(token)], ['lives', true]);
    assert.deepEqual(leases.stored('job/'), []);
  });
});
