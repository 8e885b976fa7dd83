import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../sys/testing.ts';
import { TokenServer } from './testing.ts';

const tokens = await TokenServer.open();
const { token: maker } = await tokens.make({ policies: ['maker'], no_default_policy: true });
const { token: plain } = await tokens.make({ policies: ['plain', 'default'] });
const CALLERS = { root: tokens.server.root, maker, plain };

/** Members of `auth` that are to be so; a number is the status of a refusal. */
type Wanted = Readonly<Record<string, unknown>> | 400;

async function expect(path: string, body: unknown, wanted: Wanted, by: keyof typeof CALLERS = 'root'): Promise<void> {
  const { status, json, text } = await tokens.call(path, body, CALLERS[by]);
  assert.equal(status, wanted === 400 ? 400 : 200, text);
  if (wanted === 400) assert.equal(at(json, 'auth'), undefined);
  else for (const [name, value] of Object.entries(wanted)) assert.deepEqual(at(json, 'auth', name), value, name);
}

const of = (count: number, make: (i: number) => unknown): unknown[] => Array.from({ length: count }, (_, i) => make(i));
const map = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, 'x']));

describe('a parameter of a new token', () => {
  const table: Readonly<Record<string, readonly (readonly [unknown, Wanted])[]>> = {
    ttl: [
      [null, { lease_duration: 3_600 }],
      ['', { lease_duration: 3_600 }],
      [0, { lease_duration: 3_600 }],
      ['0s', { lease_duration: 3_600 }],
      [1, { lease_duration: 1 }],
      ['1', { lease_duration: 1 }],
      ['1ms', { lease_duration: 1 }],
      ['1001ms', { lease_duration: 2 }],
      ['1h30m', { lease_duration: 5_400 }],
      [7_200, { lease_duration: 7_200 }],
      [7_201, { lease_duration: 7_200 }],
      ['9999d', { lease_duration: 7_200 }],
      [-1, 400],
      ['-1ms', 400],
      [1.5, 400],
      ['1w', 400],
      [' 1s', 400],
      ['9999999999999h', 400],
      [true, 400],
      [[], 400],
      [{}, 400],
    ],
    lease: [
      ['10s', { lease_duration: 10 }],
      ['-1s', 400],
    ],
    explicit_max_ttl: [
      [null, { lease_duration: 3_600 }],
      [10, { lease_duration: 10 }],
      [5_000, { lease_duration: 3_600 }],
      [7_201, { lease_duration: 3_600 }],
      ['-1s', 400],
      ['x', 400],
    ],
    period: [
      ['', { lease_duration: 3_600 }],
      [60, { lease_duration: 60, renewable: true }],
      [7_201, { lease_duration: 7_200 }],
      [-60, 400],
    ],
    renewable: [
      [null, { renewable: true }],
      ['', { renewable: false }],
      [false, { renewable: false }],
      ['false', { renewable: false }],
      [0, { renewable: false }],
      ['yes', 400],
      [2, 400],
      [[], 400],
    ],
    num_uses: [
      [null, { num_uses: 0 }],
      ['', { num_uses: 0 }],
      ['3', { num_uses: 3 }],
      [Number.MAX_SAFE_INTEGER, { num_uses: Number.MAX_SAFE_INTEGER }],
      [-1, 400],
      [1.5, 400],
      ['x', 400],
      [true, 400],
    ],
    type: [
      [null, { token_type: 'service' }],
      ['', { token_type: 'service' }],
      ['service', { token_type: 'service' }],
      ['batch', { token_type: 'batch', accessor: '', renewable: false }],
      ['Batch', 400],
      ['default', 400],
      [0, 400],
    ],
    policies: [
      [['p'], { policies: ['default', 'p'] }],
      ['p', { policies: ['default', 'p'] }],
      ['p,q', { policies: ['default', 'p,q'] }],
      [['b', 'a', 'b', 'A '], { policies: ['a', 'b', 'default'] }],
      [['__proto__', 'constructor'], { policies: ['__proto__', 'constructor', 'default'] }],
      [of(256, (i) => `p${i}`), {}],
      [of(257, (i) => `p${i}`), 400],
      [['x'.repeat(256)], {}],
      [['x'.repeat(257)], 400],
      [['../a'], 400],
      [['a/b'], 400],
      [['é'], 400],
      [['\u212a'], 400],
      [['p*'], 400],
      [['response-wrapping'], 400],
      [[1], 400],
      [[null], 400],
      [{}, 400],
      [1, 400],
    ],
    display_name: [
      [null, {}],
      ['x'.repeat(512), {}],
      ['x'.repeat(513), 400],
      [7, {}],
      [['a'], 400],
      ['\ud83d', 400],
    ],
    meta: [
      [null, { metadata: null }],
      [{}, { metadata: null }],
      [{ a: 'b', n: 1, t: true }, { metadata: { a: 'b', n: '1', t: '1' } }],
      [{ '': '' }, { metadata: { '': '' } }],
      [{ ü: '\u{1f600}' }, { metadata: { ü: '\u{1f600}' } }],
      [map(4_096), {}],
      [map(4_097), 400],
      [{ a: 'x'.repeat(65_535) }, {}],
      [{ a: 'x'.repeat(65_536) }, 400],
      [{ é: 'x'.repeat(65_534) }, {}],
      [{ é: 'x'.repeat(65_535) }, 400],
      [{ a: null }, 400],
      [{ a: {} }, 400],
      [{ a: ['b'] }, 400],
      [[], 400],
      ['a=b', 400],
      [{ a: '\udc00' }, 400],
    ],
    id: [
      [null, {}],
      ['', {}],
      ['!~', { client_token: '!~' }],
      [12, { client_token: '12' }],
      ['i'.repeat(256), {}],
      ['j'.repeat(257), 400],
      ['a.b', 400],
      ['b.', 400],
      ['a b', 400],
      ['a\t', 400],
      ['é', 400],
      ['\u007f', 400],
      [['a'], 400],
    ],
    no_parent: [
      [null, { orphan: false }],
      [true, { orphan: true }],
      ['t', { orphan: true }],
      ['x', 400],
    ],
    no_default_policy: [
      [true, { policies: ['given'] }],
      ['maybe', 400],
    ],
    entity_alias: [
      [null, {}],
      ['', {}],
      ['ada', 400],
    ],
  };
  for (const [name, rows] of Object.entries(table)) {
    test(name, async () => {
      for (const [value, wanted] of rows) {
        const body = name === 'policies' ? { policies: value } : { policies: ['given'], [name]: value };
        await expect('create', body, wanted);
        if (name !== 'no_parent' && name !== 'id') await expect('create-orphan', body, wanted);
      }
    });
  }

  test('is refused with a sentence that names it and repeats nothing of it', async () => {
    for (const [name, value] of [
      ['ttl', 'canary'],
      ['period', 'canary'],
      ['explicit_max_ttl', 'canary'],
      ['num_uses', 'canary'],
      ['renewable', 'canary'],
      ['type', 'canary'],
      ['id', 'canary.dot'],
      ['id', 'canary blank'],
      ['meta', 'canary'],
      ['entity_alias', 'canary'],
      ['no_parent', 'canary'],
    ] as const) {
      const { status, json } = await tokens.call('create', { [name]: value });
      const sentence = String(at(json, 'errors', '0'));
      assert.equal(status, 400);
      assert.ok(sentence.startsWith(name) && !sentence.includes('canary'), sentence);
    }
  });

  test('given twice counts as it stands last, and a name of another case is none of it', async () => {
    await expect('create', '{"policies":["a"],"ttl":5,"ttl":6}', { lease_duration: 6 });
    await expect('create', { policies: ['a'], TTL: 5, Num_Uses: 3 }, { lease_duration: 3_600, num_uses: 0 });
    await expect('create?ttl=5', { policies: ['a'] }, { lease_duration: 3_600 });
  });

  test('lease is what counts where there is no ttl', async () => {
    await expect('create', { policies: ['a'], ttl: '10s', lease: '20s' }, { lease_duration: 10 });
    await expect('create', { policies: ['a'], ttl: 0, lease: '20s' }, { lease_duration: 20 });
  });
});

describe('what goes together', () => {
  for (const [what, body, wanted] of [
    ['ttl and explicit_max_ttl, the smaller first', { ttl: 10, explicit_max_ttl: 20 }, { lease_duration: 10 }],
    ['ttl and explicit_max_ttl, the larger first', { ttl: 20, explicit_max_ttl: 10 }, { lease_duration: 10 }],
    ['period and ttl', { ttl: 20, period: 10 }, { lease_duration: 10 }],
    ['period and explicit_max_ttl', { period: 20, explicit_max_ttl: 10 }, { lease_duration: 10 }],
    ['batch and ttl', { type: 'batch', ttl: 20 }, { lease_duration: 20 }],
    ['batch and no ttl', { type: 'batch' }, { lease_duration: 3_600 }],
    ['batch and renewable', { type: 'batch', renewable: true }, { renewable: false }],
    ['batch and zeros', { type: 'batch', num_uses: 0, period: 0, explicit_max_ttl: '0s' }, { num_uses: 0 }],
    ['batch and period', { type: 'batch', period: 1 }, 400],
    ['batch and num_uses', { type: 'batch', num_uses: 1 }, 400],
    ['batch and explicit_max_ttl', { type: 'batch', explicit_max_ttl: 1 }, 400],
    ['batch and id', { type: 'batch', id: 'chosen-batch' }, 400],
    ['batch and root', { type: 'batch', policies: ['root'] }, 400],
    ['num_uses and period', { num_uses: 2, period: 60 }, { num_uses: 2, lease_duration: 60, renewable: true }],
    ['num_uses and no_parent', { num_uses: 2, no_parent: true }, { num_uses: 2, orphan: true }],
  ] as const) {
    test(what, () => expect('create', { policies: ['p'], ...body }, wanted));
  }

  for (const [what, body, wanted] of [
    ['nothing', {}, { lease_duration: 0, renewable: false }],
    ['renewable', { renewable: true }, { lease_duration: 0, renewable: false }],
    ['a ttl', { ttl: 10 }, { lease_duration: 10, renewable: true }],
    ['an explicit_max_ttl', { explicit_max_ttl: 5_000 }, { lease_duration: 5_000 }],
    ['an explicit_max_ttl above the maximum', { explicit_max_ttl: 9_000 }, { lease_duration: 7_200 }],
    ['both', { ttl: 10, explicit_max_ttl: 5_000 }, { lease_duration: 10 }],
    ['a period', { period: 60 }, { lease_duration: 60 }],
    ['uses', { num_uses: 3 }, { lease_duration: 0, num_uses: 3 }],
  ] as const) {
    test(`root with ${what}`, () => expect('create', { policies: ['root'], ...body }, wanted));
  }

  test('the answer and every look-up tell the same', async () => {
    const made = await tokens.make({
      policies: ['b', 'a'],
      ttl: 600,
      explicit_max_ttl: 900,
      num_uses: 9,
      meta: { team: 'blue' },
      display_name: 'me',
      renewable: false,
    });
    const by = async (path: string, body: object) => at((await tokens.call(path, body)).json, 'data');
    const looked = await by('lookup', { token: made.token });
    assert.deepEqual(await by('lookup-accessor', { accessor: made.accessor }), { ...Object(looked), id: '' });
    const wanted = {
      id: made.token,
      accessor: made.accessor,
      policies: ['a', 'b', 'default'],
      creation_time: tokens.now / 1_000,
      creation_ttl: 600,
      ttl: 600,
      explicit_max_ttl: 900,
      expire_time: new Date(tokens.now + 600_000).toISOString(),
      issue_time: new Date(tokens.now).toISOString(),
      num_uses: 9,
      meta: { team: 'blue' },
      display_name: 'token-me',
      renewable: false,
      orphan: false,
      path: 'auth/token/create',
      type: 'service',
      entity_id: '',
    };
    assert.deepEqual(looked, wanted);
    const own = await tokens.self(made.token);
    assert.deepEqual(own, { ...wanted, num_uses: 8 });
    assert.deepEqual(await at((await tokens.call('lookup', {}, made.token)).json, 'errors'), ['permission denied']);
    assert.equal(at(await by('lookup', {}), 'id'), tokens.server.root);
  });
});

describe('who may ask for what', () => {
  for (const [by, body, wanted] of [
    ['plain', {}, { policies: ['default', 'plain'] }],
    ['plain', { policies: ['plain'] }, { policies: ['default', 'plain'] }],
    ['plain', { policies: ['plain'], no_default_policy: true }, { policies: ['plain'] }],
    ['plain', { no_default_policy: true }, { policies: ['plain'] }],
    ['plain', { policies: ['default'] }, { policies: ['default'] }],
    ['plain', { policies: ['plain', 'other'] }, 400],
    ['plain', { policies: ['root'] }, 400],
    ['plain', { policies: ['plain,default'] }, 400],
    ['plain', { id: 'chosen-by-plain' }, 400],
    ['plain', { no_parent: true }, 400],
    ['plain', { no_parent: false }, { orphan: false }],
    ['plain', { period: 1 }, 400],
    ['plain', { period: 0 }, {}],
    ['plain', { ttl: 5, num_uses: 2, explicit_max_ttl: 7, type: 'service', renewable: false }, { lease_duration: 5 }],
    ['maker', {}, { policies: ['maker'] }],
    ['maker', { policies: ['other'] }, { policies: ['default', 'other'] }],
    ['maker', { policies: ['other'], no_default_policy: true }, { policies: ['other'] }],
    ['maker', { policies: [' ROOT'] }, 400],
    ['maker', { id: 'chosen-by-maker' }, { client_token: 'chosen-by-maker' }],
    ['maker', { no_parent: true }, { orphan: true }],
    ['maker', { period: 9 }, { lease_duration: 9 }],
    ['root', { policies: ['x', ' RooT\t'] }, { policies: ['root'], lease_duration: 0 }],
  ] as const) {
    test(`${by}: ${JSON.stringify(body)}`, () => expect('create', body, wanted, by));
  }

  test('create-orphan takes its path alone, not sudo', async () => {
    await expect('create-orphan', {}, { orphan: true, policies: ['default', 'plain'], entity_id: '' }, 'plain');
    await expect('create-orphan', { no_parent: true }, { orphan: true }, 'plain');
    await expect('create-orphan', { policies: ['other'] }, 400, 'plain');
    await expect('create-orphan', { period: 1 }, 400, 'plain');
  });
});
