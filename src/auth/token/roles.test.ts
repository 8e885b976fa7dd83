import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../sys/testing.ts';
import { TokenServer } from './testing.ts';

const tokens = await TokenServer.open();
const { server } = tokens;
let roles = 0;

async function role(body: object): Promise<string> {
  const name = `role-${roles++}`;
  await tokens.role(name, body);
  return name;
}

const read = async (name: string): Promise<unknown> =>
  at((await server.call('GET', `auth/token/roles/${name}`)).json, 'data');

const DEFAULTS = {
  allowed_policies: [],
  disallowed_policies: [],
  allowed_policies_glob: [],
  disallowed_policies_glob: [],
  orphan: false,
  renewable: true,
  path_suffix: '',
  allowed_entity_aliases: [],
  token_bound_cidrs: [],
  token_explicit_max_ttl: 0,
  token_period: 0,
  token_no_default_policy: false,
  token_num_uses: 0,
  token_type: 'default-service',
  explicit_max_ttl: 0,
  period: 0,
};

describe('a field of a token role', () => {
  const long = Array.from({ length: 257 }, (_, i) => `p${i}`);
  const names: readonly (readonly [unknown, unknown])[] = [
    [
      ['b', 'a', 'b'],
      ['a', 'b'],
    ],
    ['b,a', ['a', 'b']],
    [' B , a ', ['a', 'b']],
    ['', []],
    [[], []],
    [['', 'a'], ['a']],
    [['__proto__'], ['__proto__']],
    [long.slice(0, 256), long.slice(0, 256).sort()],
    [long, 400],
    [['../a'], 400],
    [['a*'], 400],
    [{}, 400],
    [[{}], 400],
  ];
  const globs: readonly (readonly [unknown, unknown])[] = [
    [
      ['B*', 'a*', '*c*', '*', 'd'],
      ['*', '*c*', 'a*', 'b*', 'd'],
    ],
    ['x*,y*', ['x*', 'y*']],
    [long, 400],
    [['p'.repeat(512)], ['p'.repeat(512)]],
    [['p'.repeat(513)], 400],
    [['a*b'], 400],
    [['*a*b'], 400],
    [['a**'], 400],
    [['***'], 400],
    [{}, 400],
  ];
  const seconds: readonly (readonly [unknown, unknown])[] = [
    [5, 5],
    ['1h', 3_600],
    ['1ms', 1],
    [0, 0],
    [99_999_999, 99_999_999],
    [-1, 400],
    ['x', 400],
  ];
  const table: Readonly<Record<string, readonly (readonly [unknown, unknown])[]>> = {
    allowed_policies: [...names, [['root'], 400], [[' ROOT'], 400], ['a,Root', 400]],
    disallowed_policies: [...names, [['root'], ['root']]],
    allowed_policies_glob: [...globs, [['root'], 400], [['RooT'], 400], [['roo*'], ['roo*']]],
    disallowed_policies_glob: [...globs, [['root'], ['root']]],
    allowed_entity_aliases: [...globs, ['Ada', ['ada']]],
    orphan: [
      [true, true],
      ['1', true],
      ['x', 400],
    ],
    renewable: [
      [false, false],
      ['f', false],
      [7, 400],
    ],
    path_suffix: [
      ['v-1', 'v-1'],
      ['abc', 'abc'],
      ['ab', 400],
      ['a', 400],
      ['-ab', 400],
      ['ab-', 400],
      ['a.b', 'a.b'],
      ['a..b', 400],
      ['a/b', 400],
      ['a b', 400],
      ['äbc', 400],
      ['x'.repeat(128), 'x'.repeat(128)],
      ['x'.repeat(129), 400],
      ['a,b', 400],
      ['', ''],
    ],
    token_bound_cidrs: [
      [
        ['10.0.0.0/8', '::1'],
        ['10.0.0.0/8', '::1'],
      ],
      ['10.0.0.0/8,127.0.0.1', ['10.0.0.0/8', '127.0.0.1']],
      ['', []],
      [['10.0.0.0/33'], 400],
      [['host'], 400],
      [[''], 400],
      [long.slice(0, 256).map((_, i) => `10.0.0.${i}`), long.slice(0, 256).map((_, i) => `10.0.0.${i}`)],
      [long.map((_, i) => `10.0.${i % 2}.${i % 256}`), 400],
    ],
    token_explicit_max_ttl: seconds,
    token_period: seconds,
    token_no_default_policy: [
      [true, true],
      ['x', 400],
    ],
    token_num_uses: [
      [3, 3],
      ['3', 3],
      [-1, 400],
      [1.5, 400],
    ],
    token_type: [
      ['service', 'service'],
      ['default-service', 'default-service'],
      ['default-batch', 'default-batch'],
      ['', 400],
      ['default', 400],
      ['Service', 400],
      ['other', 400],
    ],
  };
  for (const [field, rows] of Object.entries(table)) {
    test(field, async () => {
      for (const [given, wanted] of rows) {
        const name = `role-${roles++}`;
        const status = await tokens.status(`roles/${name}`, { [field]: given });
        const say = `${field}: ${JSON.stringify(given).slice(0, 60)}`;
        assert.equal(status, wanted === 400 ? 400 : 204, say);
        if (wanted === 400) assert.equal(await read(name), undefined);
        else {
          assert.deepEqual(at(await read(name), field), wanted, say);
          // Null says nothing, so nothing changes.
          await tokens.role(name, { [field]: null });
          assert.deepEqual(at(await read(name), field), wanted, say);
        }
      }
    });
  }

  test('that nobody names keeps its default, and later what it had', async () => {
    const name = await role({});
    assert.deepEqual(await read(name), { name, ...DEFAULTS });
    const first = { allowed_policies: ['a'], orphan: true, token_period: 60, path_suffix: 'v-1', token_num_uses: 4 };
    await tokens.role(name, first);
    await tokens.role(name, { renewable: false, token_type: 'default-batch', token_num_uses: 0 });
    const merged = { ...first, renewable: false, token_type: 'default-batch', token_num_uses: 0, period: 60 };
    assert.deepEqual(await read(name), { name, ...DEFAULTS, ...merged });
    assert.equal(await tokens.status(`roles/${name}`, { orphan: false, token_period: -1 }), 400);
    assert.deepEqual(await read(name), { name, ...DEFAULTS, ...merged }, 'a refused write changes nothing');
  });

  test('goes by its older name too, the newer one first', async () => {
    const name = await role({ period: 5, explicit_max_ttl: 6, bound_cidrs: '10.0.0.1' });
    const seen = async () => {
      const found = await read(name);
      return ['token_period', 'token_explicit_max_ttl', 'token_bound_cidrs'].map((field) => at(found, field));
    };
    assert.deepEqual(await seen(), [5, 6, ['10.0.0.1']]);
    await tokens.role(name, { period: 1, token_period: 7, bound_cidrs: '', token_bound_cidrs: '::1' });
    assert.deepEqual(await seen(), [7, 6, ['::1']]);
  });

  test('of a batch role: orphan, not renewable, without what cannot be counted, also when merged', async () => {
    const batch = { token_type: 'batch', orphan: true, renewable: false };
    for (const [body, status] of [
      [batch, 204],
      [{ token_type: 'batch' }, 400],
      [{ ...batch, orphan: false }, 400],
      [{ ...batch, renewable: true }, 400],
      [{ ...batch, token_period: 1 }, 400],
      [{ ...batch, token_explicit_max_ttl: 1 }, 400],
      [{ ...batch, token_num_uses: 1 }, 400],
    ] as const) {
      assert.equal(await tokens.status(`roles/role-${roles++}`, body), status, JSON.stringify(body));
    }
    const name = await role(batch);
    for (const body of [{ orphan: false }, { renewable: true }, { period: 3 }, { token_num_uses: 1 }]) {
      assert.equal(await tokens.status(`roles/${name}`, body), 400, JSON.stringify(body));
    }
    const periodic = await role({ orphan: true, renewable: false, token_period: 3 });
    assert.equal(await tokens.status(`roles/${periodic}`, { token_type: 'batch' }), 400);
    assert.equal(await tokens.status(`roles/${periodic}`, { token_type: 'batch', token_period: 0 }), 204);
  });
});

describe('the name of a token role', () => {
  for (const [name, status] of [
    ['a', 204],
    ['_', 204],
    ['A.b-c_d', 204],
    ['x'.repeat(256), 204],
    ['x'.repeat(257), 400],
    ['-a', 400],
    ['a-', 400],
    ['.a', 400],
    ['a.', 400],
    ['a%20b', 400],
    ['%C3%A9', 400],
    ['a*', 400],
    ['__proto__', 204],
    ['constructor', 204],
  ] as const) {
    test(`${name.slice(0, 20)}: ${status}`, async () => {
      assert.equal(await tokens.status(`roles/${name}`, {}), status);
      const found = (await server.call('GET', `auth/token/roles/${name}`)).status;
      assert.equal(found, status === 204 ? 200 : 404);
      assert.equal(await tokens.status(`create/${name}`, { policies: ['p'] }), status === 204 ? 200 : 400);
      assert.equal((await server.call('DELETE', `auth/token/roles/${name}`)).status, 204);
      assert.equal((await server.call('GET', `auth/token/roles/${name}`)).status, 404);
      assert.equal(await tokens.status(`create/${name}`, { policies: ['p'] }), 400);
    });
  }

  test('is told apart by its case, and listed in order, a page at a time', async () => {
    const fresh = await TokenServer.open();
    const list = async (query = '') => {
      const { status, json } = await fresh.server.call('LIST', `auth/token/roles${query}`);
      return status === 200 ? at(json, 'data', 'keys') : status;
    };
    assert.equal(await list(), 404);
    for (const name of ['b', 'B', 'a', 'a1']) await fresh.role(name, {});
    assert.deepEqual(await list(), ['B', 'a', 'a1', 'b']);
    assert.deepEqual(await list('?limit=2'), ['B', 'a']);
    assert.deepEqual(await list('?after=a&limit=1'), ['a1']);
    assert.deepEqual(await list('?after=a0'), ['a1', 'b']);
    assert.equal(await list('?after=b'), 404);
    assert.equal(await list('?limit=x'), 400);
  });

  test('needs create for a new one and update for one that is there', async () => {
    const token = async (capability: string) =>
      server.tokenWith(`path "auth/token/roles/*" { capabilities = ["${capability}"] }`);
    const [creator, updater] = [await token('create'), await token('update')];
    const write = (name: string, by: string) => tokens.status(`roles/${name}`, {}, by);
    assert.equal(await write('both', updater), 403);
    assert.equal(await write('both', creator), 204);
    assert.equal(await write('both', creator), 403);
    assert.equal(await write('both', updater), 204);
  });
});
