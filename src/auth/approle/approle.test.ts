import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, TestServer } from '../../sys/testing.ts';

const clock = { seconds: 1_000_000 };
const server = await TestServer.open({ clock: () => clock.seconds * 1_000 });
await server.call('POST', 'sys/auth/ar', { body: { type: 'approle', config: { max_lease_ttl: '2h' } } });

const call = (method: string, path: string, body?: unknown) => server.call(method, `auth/ar/${path}`, { body });
const status = async (method: string, path: string, body?: unknown): Promise<number> =>
  (await call(method, path, body)).status;
const data = async (method: string, path: string, body?: unknown): Promise<unknown> =>
  at((await call(method, path, body)).json, 'data');
const login = (body: object, peer = '127.0.0.1') =>
  server.call('POST', 'auth/ar/login', { token: undefined, body, peer });

let roles = 0;
/** A role of its own for each test, by its name and what it logs in under. */
async function newRole(params: object = {}): Promise<{ readonly role: string; readonly role_id: string }> {
  const name = `r${roles++}`;
  assert.ok([200, 204].includes(await status('POST', `role/${name}`, params)));
  return { role: `role/${name}`, role_id: String(at(await data('GET', `role/${name}/role-id`), 'role_id')) };
}

async function newSecret(
  role: string,
  params: object = {},
): Promise<{ readonly id: string; readonly accessor: string }> {
  const made = await data('POST', `${role}/secret-id`, params);
  return { id: String(at(made, 'secret_id')), accessor: String(at(made, 'secret_id_accessor')) };
}

describe('roles', () => {
  test('are made with defaults, changed in part, listed and deleted', async () => {
    assert.equal(await status('LIST', 'role'), 404);
    assert.equal(await status('POST', 'role/App', { token_policies: 'b,A', secret_id_ttl: '10m' }), 204);
    assert.deepEqual(await data('GET', 'role/aPP'), {
      ...{ bind_secret_id: true, secret_id_bound_cidrs: [], secret_id_num_uses: 0, secret_id_ttl: 600 },
      ...{ local_secret_ids: false, token_policies: ['a', 'b'], token_no_default_policy: false, token_ttl: 0 },
      ...{ token_max_ttl: 0, token_explicit_max_ttl: 0, token_period: 0, token_num_uses: 0, token_bound_cidrs: [] },
      ...{ token_strictly_bind_ip: false, token_type: 'default' },
    });
    assert.equal(await status('POST', 'role/app', { secret_id_num_uses: 3, period: '1h' }), 204);
    const changed = await data('GET', 'role/app');
    assert.deepEqual(
      [at(changed, 'secret_id_ttl'), at(changed, 'secret_id_num_uses'), at(changed, 'period')],
      [600, 3, 3600],
    );
    assert.deepEqual(at(await data('LIST', 'role'), 'keys'), ['app']);
    assert.equal(await status('DELETE', 'role/app'), 204);
    assert.equal(await status('DELETE', 'role/app'), 204);
    assert.equal(await status('GET', 'role/app'), 404);
  });

  for (const [path, member, given, read, reset] of [
    ['policies', 'token_policies', 'b,a', ['a', 'b'], []],
    ['secret-id-num-uses', 'secret_id_num_uses', '7', 7, 0],
    ['secret-id-ttl', 'secret_id_ttl', '1m', 60, 0],
    ['bind-secret-id', 'bind_secret_id', true, true, true],
    ['secret-id-bound-cidrs', 'secret_id_bound_cidrs', '10.0.0.0/8', ['10.0.0.0/8'], []],
    ['bound-cidr-list', 'bound_cidr_list', ['10.0.0.0/8'], ['10.0.0.0/8'], []],
    ['token-bound-cidrs', 'token_bound_cidrs', '::1', ['::1'], []],
    ['token-num-uses', 'token_num_uses', 5, 5, 0],
    ['token-ttl', 'token_ttl', '2m', 120, 0],
    ['token-max-ttl', 'token_max_ttl', '3m', 180, 0],
    ['period', 'token_period', '4m', 240, 0],
  ] as const) {
    test(`${path} is read, changed and reset by itself`, async () => {
      const { role } = await newRole();
      assert.equal(await status('POST', `${role}/${path}`, { [member]: given }), 204);
      assert.deepEqual(at(await data('GET', `${role}/${path}`), member), read);
      assert.equal(await status('POST', `${role}/${path}`, {}), 400);
      assert.equal(await status('DELETE', `${role}/${path}`), 204);
      assert.deepEqual(at(await data('GET', `${role}/${path}`), member), reset);
      assert.equal(await status('GET', `role/none/${path}`), 404);
      assert.equal(await status('POST', `role/none/${path}`, { [member]: given }), 404);
      assert.equal(await status('DELETE', `role/none/${path}`), 204);
    });
  }

  test('show parameters under older names to who used these', async () => {
    const { role } = await newRole();
    await call('POST', `${role}/policies`, { policies: 'x' });
    await call('POST', `${role}/period`, { period: 60 });
    assert.deepEqual(await data('GET', `${role}/policies`), { token_policies: ['x'], policies: ['x'] });
    assert.deepEqual(await data('GET', `${role}/period`), { token_period: 60, period: 60 });
    await call('POST', `${role}/policies`, { token_policies: 'y' });
    assert.deepEqual(await data('GET', `${role}/policies`), { token_policies: ['y'] });
  });

  for (const [what, body, field] of [
    ['without any bound', { bind_secret_id: false }, 'bind_secret_id'],
    ['of negative uses', { secret_id_num_uses: -1 }, 'secret_id_num_uses'],
    ['of a negative lifetime of secret ids', { secret_id_ttl: '-1s' }, 'secret_id_ttl'],
    ['that gives root', { token_policies: ['Root\t'] }, 'token_policies'],
    ['that gives root under the older name', { policies: 'ROOT' }, 'policies'],
    ['with an empty role_id', { role_id: ' ' }, 'role_id'],
    ['with a slash in its role_id', { role_id: 'a/b' }, 'role_id'],
    ['with a role_id that is too long', { role_id: 'x'.repeat(257) }, 'role_id'],
    ['with no block', { secret_id_bound_cidrs: 'x' }, 'secret_id_bound_cidrs'],
    ['of an unknown type', { token_type: 'x' }, 'token_type'],
    ['with a period of batch tokens', { token_type: 'default-batch', period: 1 }, 'token_period'],
  ] as const) {
    test(`one ${what} is 400 and names the field`, async () => {
      const { status, json } = await call('POST', 'role/bad', body);
      assert.equal(status, 400);
      assert.ok(String(at(json, 'errors', '0')).includes(field), JSON.stringify(json));
    });
  }

  test('warn of what cannot hold, and of types that mounts have', async () => {
    for (const [body, field] of [
      [{ token_max_ttl: '3h' }, 'token_max_ttl'],
      [{ token_period: '3h' }, 'token_period'],
      [{ token_type: 'default-service' }, 'token_type'],
    ] as const) {
      const { status, json } = await call('POST', 'role/warned', body);
      assert.equal(status, 200);
      assert.ok(JSON.stringify(at(json, 'warnings')).includes(`"${field}:`));
    }
    assert.equal(await status('POST', 'role/warned', { token_max_ttl: '2h', token_period: 0 }), 204);
  });

  test('have a role_id each', async () => {
    const one = await newRole({ role_id: ' mine ' });
    assert.equal(one.role_id, 'mine');
    assert.equal(await status('POST', 'role/other', { role_id: 'mine' }), 400);
    const other = await newRole();
    assert.equal(await status('POST', `${other.role}/role-id`, { role_id: 'mine' }), 400);
    assert.equal(await status('POST', `${one.role}/role-id`, { role_id: 'new' }), 204);
    assert.equal(await status('POST', `${other.role}/role-id`, { role_id: 'mine' }), 204);
    assert.equal(await status('POST', `${other.role}/role-id`, { role_id: 'mine' }), 204);
    const { id } = await newSecret(one.role);
    assert.equal((await login({ role_id: 'mine', secret_id: id })).status, 400);
    assert.equal((await login({ role_id: 'new', secret_id: id })).status, 200);
  });

  test('say local_secret_ids when they are new, and only then', async () => {
    const { role } = await newRole({ local_secret_ids: true });
    assert.deepEqual(await data('GET', `${role}/local-secret-ids`), { local_secret_ids: true });
    assert.equal(await status('POST', role, { local_secret_ids: true }), 204);
    assert.equal(await status('POST', role, { local_secret_ids: false }), 400);
  });
});

describe('secret ids', () => {
  test('are shown once, and looked up, listed and destroyed by value and accessor', async () => {
    const { role } = await newRole({ secret_id_num_uses: 4, secret_id_ttl: '10m' });
    const params = { metadata: '{"k":"v"}', cidr_list: '10.1.0.0/16', token_bound_cidrs: ['10.0.0.0/8'] };
    const one = await newSecret(role, params);
    const seen = {
      ...{ secret_id_accessor: one.accessor, secret_id_num_uses: 4, secret_id_ttl: 600, metadata: { k: 'v' } },
      ...{ creation_time: '1970-01-12T13:46:40.000Z', expiration_time: '1970-01-12T13:56:40.000Z' },
      ...{ last_updated_time: '1970-01-12T13:46:40.000Z' },
      ...{ cidr_list: ['10.1.0.0/16'], token_bound_cidrs: ['10.0.0.0/8'] },
    };
    assert.deepEqual(await data('POST', `${role}/secret-id/lookup`, { secret_id: one.id }), seen);
    const by = { secret_id_accessor: one.accessor };
    assert.deepEqual(await data('PUT', `${role}/secret-id-accessor/lookup`, by), seen);
    const others = [await newSecret(role), await newSecret(role), await newSecret(role)];
    const accessors = [one, ...others].map(({ accessor }) => accessor).sort();
    assert.deepEqual(at(await data('LIST', `${role}/secret-id`), 'keys'), accessors);
    assert.ok(![...server.store.contents().keys()].some((key) => key.includes(one.id)));
    const [a, b, c] = others.map(({ id, accessor }) => ({ secret_id: id, secret_id_accessor: accessor }));
    assert.equal(await status('POST', `${role}/secret-id/destroy`, a), 204);
    assert.equal(await status('POST', `${role}/secret-id-accessor/destroy`, b), 204);
    assert.equal(await status('DELETE', `${role}/secret-id/destroy?secret_id=${c?.secret_id}`), 204);
    assert.equal(await status('DELETE', `${role}/secret-id-accessor/destroy?secret_id_accessor=${one.accessor}`), 204);
    assert.equal(await status('LIST', `${role}/secret-id`), 404);
    assert.equal(await status('POST', `${role}/secret-id/destroy`, a), 204, 'unknown');
    assert.equal(await status('POST', `${role}/secret-id/lookup`, a), 204, 'unknown');
    assert.equal(await status('POST', `${role}/secret-id-accessor/lookup`, b), 404);
    assert.equal(await status('POST', `${role}/secret-id-accessor/destroy`, b), 404);
  });

  for (const [params, expected] of [
    [{}, { secret_id_num_uses: 3, secret_id_ttl: 600 }],
    [
      { num_uses: 3, ttl: '10m' },
      { secret_id_num_uses: 3, secret_id_ttl: 600 },
    ],
    [
      { num_uses: 1, ttl: 1 },
      { secret_id_num_uses: 1, secret_id_ttl: 1 },
    ],
    [{ num_uses: 4 }, 'num_uses'],
    [{ num_uses: 0 }, 'num_uses'],
    [{ num_uses: -1 }, 'num_uses'],
    [{ ttl: 601 }, 'ttl'],
    [{ ttl: 0 }, 'ttl'],
    [{ cidr_list: '10.1.0.0/16' }, { secret_id_num_uses: 3, secret_id_ttl: 600 }],
    [{ cidr_list: '11.0.0.0/8' }, 'cidr_list'],
    [{ cidr_list: '0.0.0.0/0' }, 'cidr_list'],
    [{ token_bound_cidrs: '12.0.0.1' }, { secret_id_num_uses: 3, secret_id_ttl: 600 }],
    [{ token_bound_cidrs: '10.0.0.1' }, 'token_bound_cidrs'],
    [{ metadata: 'a=b,c=d' }, { secret_id_num_uses: 3, secret_id_ttl: 600 }],
    [{ metadata: { a: 'b' } }, { secret_id_num_uses: 3, secret_id_ttl: 600 }],
    [{ metadata: 'a' }, 'metadata'],
    [{ metadata: '{"a":{}}' }, 'metadata'],
    [{ metadata: '{"a":' }, 'metadata'],
    [{ metadata: { '': 'x' } }, 'metadata'],
    [{ metadata: { a: 'x'.repeat(513) } }, 'metadata'],
    [{ metadata: { ['x'.repeat(129)]: '' } }, 'metadata'],
    [{ metadata: Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`n${i}`, ''])) }, 'metadata'],
  ] as const) {
    test(`${JSON.stringify(params).slice(0, 60)} of 3 logins, 10 minutes, within 10/8 and 12/8`, async () => {
      const terms = { secret_id_num_uses: 3, secret_id_ttl: 600, secret_id_bound_cidrs: '10.0.0.0/8' };
      const { role } = await newRole({ ...terms, token_bound_cidrs: '12.0.0.0/8' });
      const { status, json } = await call('POST', `${role}/secret-id`, params);
      if (typeof expected === 'string') {
        assert.equal(status, 400);
        assert.ok(String(at(json, 'errors', '0')).startsWith(expected), JSON.stringify(json));
      } else {
        const { secret_id: _, secret_id_accessor: __, ...rest } = Object(at(json, 'data'));
        assert.deepEqual(rest, expected);
      }
    });
  }

  test('live no longer than the mount allows', async () => {
    const { role } = await newRole();
    assert.equal(at(await data('POST', `${role}/secret-id`, { ttl: '3h' }), 'secret_id_ttl'), 7200);
    assert.equal(at(await data('POST', `${role}/secret-id`, { ttl: 0 }), 'secret_id_ttl'), 0);
  });

  test('may be chosen, once while they last', async () => {
    const { role, role_id } = await newRole({ secret_id_ttl: 10 });
    const custom = () => status('POST', `${role}/custom-secret-id`, { secret_id: ' chosen ' });
    assert.equal(await custom(), 200);
    assert.equal(await custom(), 400);
    assert.equal((await login({ role_id, secret_id: 'chosen\n' })).status, 200);
    clock.seconds += 10;
    assert.equal((await login({ role_id, secret_id: 'chosen' })).status, 400);
    assert.equal(await custom(), 200);
    assert.equal((await login({ role_id, secret_id: 'chosen' })).status, 200);
    assert.equal(Object.keys(Object(at(await data('LIST', `${role}/secret-id`), 'keys'))).length, 1);
    for (const bad of ['', '  ', 'x'.repeat(4097), null]) {
      assert.equal(await status('POST', `${role}/custom-secret-id`, { secret_id: bad }), 400);
    }
    assert.equal(await status('POST', 'role/none/custom-secret-id', { secret_id: 'x' }), 404);
    assert.equal(await status('POST', 'role/none/secret-id'), 404);
  });

  test('are none of a role that needs none', async () => {
    const { role } = await newRole({ bind_secret_id: false, token_bound_cidrs: '127.0.0.0/8' });
    assert.equal(await status('POST', `${role}/secret-id`), 400);
  });
});
