import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, TestServer } from '../../sys/testing.ts';

const clock = { seconds: 1_000_000 };
const server = await TestServer.open({ clock: () => clock.seconds * 1_000 });
const off = { user_lockout_config: { lockout_disable: true } };
await server.call('POST', 'sys/auth/ar', { body: { type: 'approle', config: off } });

const call = (method: string, path: string, body?: unknown) => server.call(method, `auth/ar/${path}`, { body });
const login = (body: object, peer = '127.0.0.1') =>
  server.call('POST', 'auth/ar/login', { token: undefined, body, peer });
const statusOf = async (body: object, peer?: string) => (await login(body, peer)).status;

let roles = 0;
interface Ids {
  readonly role: string;
  readonly role_id: string;
  readonly secret_id: string;
  readonly accessor: string;
}
async function newIds(params: object = {}, secret: object = {}): Promise<Ids> {
  const role = `role/r${roles++}`;
  await call('POST', role, params);
  const role_id = String(at((await call('GET', `${role}/role-id`)).json, 'data', 'role_id'));
  const made = at((await call('POST', `${role}/secret-id`, secret)).json, 'data');
  return { role, role_id, secret_id: String(at(made, 'secret_id')), accessor: String(at(made, 'secret_id_accessor')) };
}

describe('a login', () => {
  test('gives a token with the role’s terms and the metadata of the secret id', async () => {
    const ids = await newIds({ token_policies: 'x', token_ttl: 60 }, { metadata: '{"k":"v","role_name":"other"}' });
    const { json } = await login(ids);
    const auth = at(json, 'auth');
    assert.deepEqual(at(auth, 'metadata'), { k: 'v', role_name: ids.role.slice('role/'.length) });
    assert.deepEqual([at(auth, 'policies'), at(auth, 'lease_duration')], [['default', 'x'], 60]);
    const token = String(at(auth, 'client_token'));
    const self = at((await server.call('GET', 'auth/token/lookup-self', { token })).json, 'data');
    assert.deepEqual([at(self, 'display_name'), at(self, 'path')], ['ar', 'auth/ar/login']);
    assert.equal(at(self, 'entity_id'), at((await login(ids)).json, 'auth', 'entity_id'));
  });

  test('is refused alike whatever is wrong', async () => {
    const ids = await newIds();
    const other = await newIds();
    const away = await newIds({ secret_id_bound_cidrs: '10.0.0.0/8' });
    const bound = await newIds({ token_bound_cidrs: '10.0.0.0/8' });
    const gone = await newIds();
    await call('DELETE', gone.role);
    for (const body of [
      { ...ids, role_id: 'none' },
      { ...ids, secret_id: 'none' },
      { ...ids, secret_id: ids.accessor },
      { ...ids, secret_id: '' },
      { role_id: ids.role_id },
      { ...ids, secret_id: other.secret_id },
      ...[away, bound, gone],
    ]) {
      const { status, text } = await login(body);
      assert.deepEqual([status, text], [400, '{"errors":["invalid role or secret ID"]}\n'], JSON.stringify(body));
    }
    assert.equal(await statusOf({ secret_id: ids.secret_id }), 400);
    assert.equal(await statusOf(ids), 200);
  });

  test('with blanks around the ids, as clients read them from files', async () => {
    const { role_id, secret_id } = await newIds();
    assert.equal(await statusOf({ role_id: ` ${role_id}\n`, secret_id: `${secret_id}\n` }), 200);
  });

  test('ends with the second that the secret id does', async () => {
    const ids = await newIds({ secret_id_ttl: 10 });
    clock.seconds += 9.999;
    assert.equal(await statusOf(ids), 200);
    clock.seconds += 0.001;
    assert.equal(await statusOf(ids), 400);
    assert.equal((await call('POST', `${ids.role}/secret-id/lookup`, { secret_id: ids.secret_id })).status, 204);
  });

  test('takes one use, and as many at once as there are uses', async () => {
    const ids = await newIds({ secret_id_num_uses: 5, token_bound_cidrs: '127.0.0.1' });
    assert.equal(await statusOf(ids, '10.0.0.1'), 400);
    const statuses = await Promise.all(Array.from({ length: 64 }, () => statusOf(ids)));
    assert.equal(statuses.filter((status) => status === 200).length, 5);
    assert.equal(statuses.filter((status) => status === 400).length, 59);
    assert.equal((await call('LIST', `${ids.role}/secret-id`)).status, 404);
  });

  test('comes from addresses that the secret id and the role allow, as they are now', async () => {
    const ids = await newIds({ secret_id_bound_cidrs: '10.0.0.0/8' }, { cidr_list: '10.1.0.0/16' });
    assert.equal(await statusOf(ids, '10.1.2.3'), 200);
    assert.equal(await statusOf(ids, '10.2.2.3'), 400);
    assert.equal(await statusOf(ids, '11.0.0.1'), 400);
    await call('POST', ids.role, { secret_id_bound_cidrs: '10.1.2.0/24' });
    assert.equal(await statusOf(ids, '10.1.2.3'), 400, 'the secret id allows more than the role');
    await call('POST', ids.role, { secret_id_bound_cidrs: '' });
    assert.equal(await statusOf(ids, '10.1.2.3'), 200);
  });

  test('binds its token to the addresses of the secret id, or of the role', async () => {
    const ids = await newIds({ token_bound_cidrs: '10.0.0.0/8' }, { token_bound_cidrs: '10.1.0.0/16' });
    assert.equal(await statusOf(ids, '10.2.0.1'), 400);
    const token = String(at((await login(ids, '10.1.0.1')).json, 'auth', 'client_token'));
    const lookup = async (peer: string) => (await server.call('GET', 'auth/token/lookup-self', { token, peer })).status;
    assert.deepEqual([await lookup('10.1.9.9'), await lookup('10.2.0.1')], [200, 403]);
  });

  test('needs no secret id where the role binds none', async () => {
    const { role_id } = await newIds({ bind_secret_id: false, token_bound_cidrs: '127.0.0.0/8' });
    assert.equal(await statusOf({ role_id }), 200);
    assert.equal(await statusOf({ role_id, secret_id: 'any' }), 200);
    assert.equal(await statusOf({ role_id }, '10.0.0.1'), 400);
  });

  test('is renewed while the role is there, and not by another of its name', async () => {
    const ids = await newIds({ token_ttl: 60 });
    const token = String(at((await login(ids)).json, 'auth', 'client_token'));
    const renew = async () => (await server.call('POST', 'auth/token/renew-self', { token, body: {} })).status;
    assert.equal(await renew(), 200);
    await call('DELETE', ids.role);
    assert.equal(await renew(), 400);
    await call('POST', ids.role, { role_id: ids.role_id });
    assert.equal(await renew(), 400);
    assert.equal(await statusOf(ids), 400, 'nor do its secret ids come back');
  });
});

describe('secret ids that have expired', () => {
  const stored = (): number =>
    [...server.store.contents().keys()].filter((key) => /\/(secret|expiry)\//.test(key)).length;

  test('are taken out by tidy, all that they left, and no others', async () => {
    await call('POST', 'tidy/secret-id');
    const before = stored();
    const dead = await newIds({ secret_id_ttl: 10 });
    const { role } = dead;
    for (let i = 0; i < 20; i++) await call('POST', `${role}/secret-id`, {});
    await call('POST', role, { secret_id_ttl: 1000 });
    const live = at((await call('POST', `${role}/secret-id`, {})).json, 'data', 'secret_id');
    assert.equal(stored() - before, 22 * 3);
    clock.seconds += 10;
    const { status, json } = await call('POST', 'tidy/secret-id');
    assert.equal(status, 202);
    assert.deepEqual(at(json, 'warnings'), ['all that have expired were taken out']);
    assert.equal(stored() - before, 3);
    assert.equal(await statusOf({ role_id: dead.role_id, secret_id: live }), 200);
  });

  test('are taken out by new ones, so that there are never many', async () => {
    const { role } = await newIds({ secret_id_ttl: 10 });
    const before = stored();
    for (let i = 0; i < 100; i++) {
      await call('POST', `${role}/secret-id`, {});
      clock.seconds += 2;
    }
    assert.ok(stored() - before < 3 * 60, `${stored() - before} records`);
  });

  test('are left in part where they are too many for one transaction', async () => {
    const { role } = await newIds({ secret_id_ttl: 10 });
    await Promise.all(Array.from({ length: 300 }, () => call('POST', `${role}/secret-id`, {})));
    clock.seconds += 10;
    const left = async () => String(at((await call('POST', 'tidy/secret-id')).json, 'warnings', '0'));
    assert.match(await left(), /call again/);
    for (let i = 0; i < 10 && (await left()).includes('again'); i++);
    assert.match(await left(), /^all/);
  });

  test('of a role that is deleted go with it', async () => {
    const { role } = await newIds({ secret_id_ttl: 10 });
    await server.service.jobs.settle();
    const before = stored();
    await call('DELETE', role);
    await server.service.jobs.settle();
    assert.equal(before - stored(), 2, 'its note by time waits for its time');
    clock.seconds += 10;
    await call('POST', 'tidy/secret-id');
    assert.equal(before - stored(), 3);
  });
});
