import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, TestServer } from '../sys/testing.ts';

/** A server with a role, whose clock is set by hand; logins of roles take no time to hash. */
async function start(config: object = {}) {
  const clock = { seconds: 1_000_000 };
  const server = await TestServer.open({ clock: () => clock.seconds * 1_000 });
  await server.call('POST', 'sys/auth/ar', { body: { type: 'approle', config: { user_lockout_config: config } } });
  await server.call('POST', 'auth/ar/role/app', { body: { role_id: 'app', secret_id_num_uses: 100 } });
  const made = await server.call('POST', 'auth/ar/role/app/secret-id');
  const secret = String(at(made.json, 'data', 'secret_id'));
  const login = async (secret_id: string, role_id = 'app') =>
    (await server.call('POST', 'auth/ar/login', { token: undefined, body: { role_id, secret_id } })).status;
  const fail = async (times: number) => {
    const statuses = await Promise.all(Array.from({ length: times }, () => login('wrong')));
    assert.ok(statuses.every((status) => status === 400));
  };
  const accessor = String(at((await server.call('GET', 'sys/auth/ar')).json, 'data', 'accessor'));
  const locked = async () => {
    const { json } = await server.call('GET', `sys/locked-users?mount_accessor=${accessor}`);
    return at(json, 'data', 'by_namespace', '0', 'mount_accessors', '0', 'alias_identifiers') ?? [];
  };
  const tune = async (given: object) => {
    const { status } = await server.call('POST', 'sys/auth/ar/tune', { body: { user_lockout_config: given } });
    return status;
  };
  const counts = (): readonly string[] =>
    [...server.store.contents().keys()].filter((key) => key.includes('/lockout/'));
  return { clock, server, secret, login, fail, accessor, locked, tune, counts };
}

describe('failed logins', () => {
  test('lock a user out at the fifth, and not at the fourth', async () => {
    const { login, fail, secret, locked, counts } = await start();
    await fail(4);
    assert.deepEqual(await locked(), []);
    assert.equal(await login(secret), 200);
    assert.deepEqual(counts(), [], 'a success begins anew');
    await fail(5);
    assert.deepEqual(await locked(), ['app']);
    assert.equal(await login(secret), 400);
  });

  test('lock out for 15 minutes after the last that counted, whatever is tried meanwhile', async () => {
    const { clock, login, fail, secret, locked } = await start();
    await fail(5);
    clock.seconds += 600;
    await fail(20);
    clock.seconds += 299.999;
    assert.equal(await login(secret), 400);
    assert.deepEqual(await locked(), ['app']);
    clock.seconds += 0.001;
    assert.deepEqual(await locked(), []);
    assert.equal(await login(secret), 200);
  });

  test('count anew 15 minutes after the last one', async () => {
    const { clock, login, fail, secret } = await start();
    await fail(4);
    clock.seconds += 900.001;
    await fail(4);
    assert.equal(await login(secret), 200);
    await fail(4);
    clock.seconds += 900;
    await fail(1);
    assert.equal(await login(secret), 400);
  });

  test('lock out again at once where counting has not begun anew', async () => {
    const { clock, login, fail, secret } = await start({ lockout_duration: '1m' });
    await fail(5);
    clock.seconds += 60;
    await fail(1);
    assert.equal(await login(secret), 400);
    clock.seconds += 60;
    assert.equal(await login(secret), 200);
  });

  test('are counted exactly with 64 at once, and spend no use of a right secret', async () => {
    const { server, login, fail, secret, locked } = await start({ lockout_threshold: 7 });
    await Promise.all(Array.from({ length: 64 }, () => login('wrong')));
    assert.deepEqual(await locked(), ['app']);
    const statuses = await Promise.all(Array.from({ length: 64 }, () => login(secret)));
    assert.ok(statuses.every((status) => status === 400));
    const { json } = await server.call('POST', 'auth/ar/role/app/secret-id/lookup', { body: { secret_id: secret } });
    assert.equal(at(json, 'data', 'secret_id_num_uses'), 100);
    await fail(1);
  });

  test('of 64 guesses at once, of which the last is right, no more than the threshold count', async () => {
    const { server, login, secret } = await start();
    const counted = async (): Promise<unknown> => {
      const { json } = await server.call('POST', 'auth/ar/role/app/secret-id/lookup', { body: { secret_id: secret } });
      return at(json, 'data', 'secret_id_num_uses');
    };
    await Promise.all([...Array.from({ length: 63 }, (_, i) => login(`guess-${i}`)), login(secret)]);
    const uses = await counted();
    assert.ok(uses === 100 || uses === 99);
    // Whichever way that went: after five more nothing is decided by the secret.
    await Promise.all(Array.from({ length: 5 }, () => login('wrong')));
    assert.equal(await login(secret), 400);
  });

  test('of names that nobody has lock nobody out, and take bounded space', async () => {
    const { login, locked, secret, counts } = await start();
    for (let i = 0; i < 6; i++) assert.equal(await login('wrong', 'nobody'), 400);
    assert.equal(counts().length, 1);
    await Promise.all(Array.from({ length: 300 }, (_, i) => login('wrong', `nobody-${i}`)));
    assert.ok(counts().every((key) => /\/lockout\/idle\/..$/.test(key)));
    assert.deepEqual(await locked(), []);
    assert.equal(await login(secret), 200);
  });

  test('are answered after 22 ms at the earliest, whoever it was that failed', async () => {
    const { login, fail, secret, tune } = await start();
    const slow = async (secret_id: string, role_id?: string) => {
      const begun = performance.now();
      assert.equal(await login(secret_id, role_id), 400);
      assert.ok(performance.now() - begun >= 22);
    };
    await slow('wrong');
    await slow('wrong', 'nobody');
    await fail(5);
    await slow(secret);
    await tune({ lockout_disable: true });
    await slow('wrong');
  });

  test('are forgotten with the role, and with its old role_id', async () => {
    const { server, fail, counts } = await start();
    await fail(5);
    assert.equal(counts().length, 1);
    await server.call('POST', 'auth/ar/role/app/role-id', { body: { role_id: 'other' } });
    assert.equal(counts().length, 0);
    await server.call('POST', 'auth/ar/role/app/role-id', { body: { role_id: 'app' } });
    await fail(1);
    await server.call('DELETE', 'auth/ar/role/app');
    assert.equal(counts().length, 0);
  });

  test('go with the mount', async () => {
    const { server, fail, login, counts } = await start();
    await fail(5);
    await login('wrong', 'nobody');
    await server.call('DELETE', 'sys/auth/ar');
    await server.service.jobs.settle();
    assert.equal(counts().length, 0);
  });

  test('that a user is unlocked from count no more; unlocking anybody is 204', async () => {
    const { server, login, fail, secret, accessor, locked } = await start();
    const unlock = async (path: string) => (await server.call('POST', `sys/locked-users/${path}`)).status;
    await fail(5);
    for (const path of [`${accessor}/unlock/nobody`, 'none/unlock/app']) assert.equal(await unlock(path), 204);
    assert.equal(await login(secret), 400);
    assert.equal(await unlock(`${accessor}/unlock/APP`), 204);
    assert.deepEqual(await locked(), []);
    assert.equal(await login(secret), 200);
  });

  test('are shown to who may see them alone', async () => {
    const { server, fail } = await start();
    await fail(5);
    const token = await server.tokenWith('path "auth/ar/*" { capabilities = ["read", "list"] }');
    for (const who of [token, undefined]) {
      assert.equal((await server.call('GET', 'sys/locked-users', { token: who })).status, 403);
      assert.equal((await server.call('POST', 'sys/locked-users/x/unlock/app', { token: who })).status, 403);
    }
    const { json } = await server.call('GET', 'sys/locked-users');
    assert.equal(at(json, 'data', 'total'), 1);
    assert.equal(at(json, 'data', 'by_namespace', '0', 'counts'), 1);
  });
});

describe('user_lockout_config', () => {
  for (const [given, read] of [
    [{ lockout_threshold: '3' }, [3, 900, 900, false]],
    [{ lockout_threshold: 3, lockout_duration: '5m', lockout_counter_reset: 60 }, [3, 300, 60, false]],
    [{ lockout_counter_reset_duration: '2m' }, [5, 900, 120, false]],
    [{ lockout_threshold: '', lockout_duration: '', lockout_disable: true }, [5, 900, 900, true]],
    [{ lockout_threshold: 0, lockout_duration: 'system', lockout_disable: false }, undefined],
    [{}, undefined],
  ] as const) {
    test(`${JSON.stringify(given)} reads ${read}`, async () => {
      const { server } = await start(given);
      const view = at((await server.call('GET', 'sys/auth/ar/tune')).json, 'data');
      const names = ['threshold', 'duration', 'counter_reset_duration', 'disable'];
      const values = names.map((name) => at(view, `user_lockout_${name}`));
      assert.deepEqual(values, read ?? [undefined, undefined, undefined, undefined]);
    });
  }

  test('is changed in part, and set back', async () => {
    const { server, tune } = await start({ lockout_threshold: 3, lockout_duration: '5m' });
    assert.equal(await tune({ lockout_duration: '0' }), 204);
    const view = at((await server.call('GET', 'sys/auth')).json, 'data', 'ar/', 'config', 'user_lockout_config');
    assert.deepEqual([at(view, 'user_lockout_threshold'), at(view, 'user_lockout_duration')], [3, 900]);
  });

  for (const [given, field] of [
    [{ lockout_threshold: -1 }, 'lockout_threshold'],
    [{ lockout_threshold: 1.5 }, 'lockout_threshold'],
    [{ lockout_threshold: 1_000_001 }, 'lockout_threshold'],
    [{ lockout_duration: '-1s' }, 'lockout_duration'],
    [{ lockout_duration: '1ms' }, 'lockout_duration'],
    [{ lockout_counter_reset: 'x' }, 'lockout_counter_reset'],
    [{ lockout_disable: 'yes' }, 'lockout_disable'],
    ['x', 'user_lockout_config'],
  ] as const) {
    test(`${JSON.stringify(given)} is 400 and names the field`, async () => {
      const { server } = await start();
      const body = { user_lockout_config: given };
      const { status, json } = await server.call('POST', 'sys/auth/ar/tune', { body });
      assert.equal(status, 400);
      assert.ok(String(at(json, 'errors', '0')).includes(field), JSON.stringify(json));
    });
  }

  test('counts no failures where it is disabled', async () => {
    const { login, fail, secret, counts, tune } = await start();
    await fail(5);
    assert.equal(await tune({ lockout_disable: true }), 204);
    await fail(5);
    assert.equal(await login(secret), 200);
    assert.equal(await tune({ lockout_disable: false }), 204);
    assert.equal(counts().length, 1, 'what was counted before holds again');
  });

  test('is of auth methods whose logins can be tried', async () => {
    const { server } = await start();
    const body = { user_lockout_config: { lockout_threshold: 3 } };
    for (const path of ['sys/auth/token/tune', 'sys/mounts/cubbyhole/tune']) {
      assert.equal((await server.call('POST', path, { body })).status, 400);
    }
    for (const [path, type] of [
      ['sys/mounts/b', 'box'],
      ['sys/auth/d', 'door'],
    ]) {
      assert.equal((await server.call('POST', `${path}`, { body: { type, config: body } })).status, 400);
      assert.equal(
        (await server.call('POST', `${path}`, { body: { type, config: { user_lockout_config: {} } } })).status,
        204,
      );
    }
  });
});
