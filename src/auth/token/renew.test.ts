import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../sys/testing.ts';
import { TokenServer } from './testing.ts';

/** The three ways to renew, all of the same token. */
const WAYS = ['renew-self', 'renew', 'renew-accessor'] as const;

async function open(body: object) {
  const tokens = await TokenServer.open();
  const { token, accessor } = await tokens.make({ policies: ['maker'], ...body });
  const by = (way: (typeof WAYS)[number], more: object = {}) =>
    tokens.call(
      way,
      { ...more, ...(way === 'renew' ? { token } : {}), ...(way === 'renew-accessor' ? { accessor } : {}) },
      token,
    );
  /** Seconds that are given, or the status of the refusal. */
  const renew = async (increment?: unknown, way: (typeof WAYS)[number] = 'renew-self'): Promise<unknown> => {
    const { status, json } = await by(way, increment === undefined ? {} : { increment });
    return status === 200 ? at(json, 'auth', 'lease_duration') : status;
  };
  return { tokens, token, accessor, by, renew };
}

describe('a renewal', () => {
  for (const way of WAYS) {
    test(`by ${way} gives what is asked for, from now on, and leaves its trace`, async () => {
      const { tokens, token, accessor, by } = await open({ ttl: 600 });
      tokens.pass(100.5);
      const { status, json } = await by(way, { increment: '30m' });
      assert.equal(status, 200);
      const shown = way === 'renew-accessor' ? '' : token;
      for (const [member, value] of Object.entries({
        client_token: shown,
        accessor,
        lease_duration: 1_800,
        renewable: true,
        policies: ['default', 'maker'],
        token_policies: ['default', 'maker'],
        token_type: 'service',
        orphan: false,
      })) {
        assert.deepEqual(at(json, 'auth', member), value, member);
      }
      const self = await tokens.self(token);
      assert.deepEqual(
        ['ttl', 'creation_ttl', 'last_renewal', 'last_renewal_time', 'expire_time'].map((name) => at(self, name)),
        [
          1_800,
          600,
          new Date(tokens.now).toISOString(),
          Math.floor(tokens.now / 1_000),
          new Date(tokens.now + 1_800_000).toISOString(),
        ],
      );
      tokens.pass(1_799.999);
      assert.ok(await tokens.lives(token));
      tokens.pass(0.001);
      assert.ok(!(await tokens.lives(token)));
      assert.equal((await by(way)).status, way === 'renew-self' ? 403 : 403);
    });
  }

  for (const [increment, wanted] of [
    [undefined, 600],
    [null, 600],
    ['', 600],
    [0, 600],
    [1, 1],
    ['1ms', 1],
    ['90s', 90],
    [7_200, 7_200],
    [7_201, 7_200],
    ['99999h', 7_200],
    [-1, 400],
    ['x', 400],
    [1.5, 400],
    [[], 400],
  ] as const) {
    test(`of ${JSON.stringify(increment)} gives ${wanted}`, async () => {
      const { renew } = await open({ ttl: 600 });
      for (const way of WAYS) {
        if (increment === undefined) assert.equal(await renew(undefined, way), wanted);
        else {
          const { renew: afresh } = await open({ ttl: 600 });
          assert.equal(await afresh(increment, way), wanted, way);
        }
      }
    });
  }

  test('without an increment gives what the last one gave', async () => {
    const { renew } = await open({ ttl: 600 });
    assert.deepEqual(
      [await renew(), await renew(30), await renew(), await renew(900), await renew()],
      [600, 30, 30, 900, 900],
    );
  });

  test('shortens a life too', async () => {
    const { tokens, token, renew } = await open({ ttl: 600 });
    assert.equal(await renew(5), 5);
    tokens.pass(5);
    assert.ok(!(await tokens.lives(token)));
  });

  test('never goes beyond the mount’s maximum, counted from the creation', async () => {
    const { tokens, token, renew } = await open({ ttl: 600 });
    const start = tokens.now;
    for (let lived = 0; lived < 7_200 - 500; lived += 500) {
      tokens.pass(500);
      assert.equal(await renew(600), Math.min(600, 7_200 - (tokens.now - start) / 1_000));
    }
    tokens.pass(199.9);
    assert.equal(await renew(600), 1, 'a begun second is one');
    tokens.pass(0.099);
    assert.ok(await tokens.lives(token));
    tokens.pass(0.001);
    assert.ok(!(await tokens.lives(token)), 'not one millisecond more');
  });

  test('never goes beyond an explicit maximum, and says that it cuts', async () => {
    const { tokens, token, by, renew } = await open({ ttl: 4, explicit_max_ttl: 10 });
    tokens.pass(3.5);
    const { json } = await by('renew-self', { increment: 100 });
    assert.equal(at(json, 'auth', 'lease_duration'), 7);
    assert.match(String(at(json, 'warnings', '0')), /^increment: /);
    tokens.pass(6.499);
    assert.equal(await renew(100), 1);
    assert.ok(await tokens.lives(token));
    tokens.pass(0.001);
    assert.equal(await renew(100), 403);
  });

  test('200 times in the last tenth of a second makes nothing immortal (known-attacks B6)', async () => {
    for (const body of [
      { ttl: 2, explicit_max_ttl: 2 },
      { period: 2, explicit_max_ttl: 2 },
      { ttl: 2, explicit_max_ttl: 2, renewable: true, num_uses: 1_000 },
    ]) {
      const { tokens, token, renew } = await open(body);
      tokens.pass(1.9);
      for (let i = 0; i < 200; i++) {
        assert.equal(await renew('1h', WAYS[i % WAYS.length]), 1);
        if (i % 20 === 19) tokens.pass(0.009);
      }
      assert.ok(await tokens.lives(token));
      tokens.pass(0.01);
      assert.ok(!(await tokens.lives(token)));
    }
  });

  test('of a periodic token gives its period, as often as wished, until an explicit maximum', async () => {
    const { tokens, token, renew } = await open({ period: 1_000 });
    for (let i = 0; i < 20; i++) {
      tokens.pass(999);
      assert.equal(await renew(i % 2 === 0 ? 5 : '99h'), 1_000);
    }
    tokens.pass(1_000);
    assert.ok(!(await tokens.lives(token)));
    const ending = await open({ period: 1_000, explicit_max_ttl: 2_500 });
    const given: unknown[] = [];
    for (let i = 0; i < 4; i++) {
      ending.tokens.pass(900);
      given.push(await ending.renew());
    }
    assert.deepEqual(given, [1_000, 700, 403, 403]);
  });

  test('follows the limits of the mount as they are now', async () => {
    const { tokens, renew } = await open({ ttl: 600 });
    assert.equal(
      (await tokens.server.call('POST', 'sys/auth/token/tune', { body: { max_lease_ttl: '700s' } })).status,
      204,
    );
    tokens.pass(400);
    assert.equal(await renew(600), 300);
  });

  test('is a use, and nothing in the last use', async () => {
    const { tokens, token, renew } = await open({ ttl: 600, num_uses: 3 });
    assert.equal(await renew(60), 60);
    const looked = await tokens.call('lookup', { token });
    assert.equal(at(looked.json, 'data', 'num_uses'), 2);
    assert.equal(await renew(60, 'renew'), 60);
    assert.equal(await renew(60), 400);
    assert.ok(!(await tokens.lives(token)));
    const byOthers = await open({ ttl: 600, num_uses: 1 });
    for (const body of [{ token: byOthers.token }, { accessor: byOthers.accessor }]) {
      assert.equal(await byOthers.tokens.status('token' in body ? 'renew' : 'renew-accessor', body), 200);
    }
    assert.ok(await byOthers.tokens.lives(byOthers.token));
  });

  test('does not outlive the parent', async () => {
    const { tokens, token } = await open({ ttl: 600 });
    const child = await tokens.child(token, { ttl: 600 });
    tokens.pass(500);
    assert.equal(await tokens.status('renew-self', { increment: '1h' }, child), 200);
    tokens.pass(100);
    assert.ok(!(await tokens.lives(child)));
  });

  test('leaves one note, and the sweep finds the end as it is now', async () => {
    const { tokens, renew } = await open({ ttl: 60 });
    const others = tokens.stored('token/').length - 1;
    for (let i = 0; i < 5; i++) {
      tokens.pass(50);
      assert.equal(await renew(60), 60);
      await tokens.settle();
      assert.equal(tokens.stored('due/').length, 1);
    }
    tokens.pass(60);
    await tokens.settle();
    assert.deepEqual(
      [tokens.stored('due/', 'accessor/', 'lease-of/').length, tokens.stored('token/').length],
      [others, others],
    );
  });
});

describe('what cannot be renewed', () => {
  for (const [what, body] of [
    ['a token that was made so', { renewable: false, ttl: 600 }],
    ['one that never ends', { policies: ['root'] }],
    ['a batch token', { type: 'batch', ttl: 600 }],
  ] as const) {
    test(`${what}: 400, with the words that clients look for`, async () => {
      const { tokens, token, accessor, by } = await open(body);
      const ways = accessor === '' ? (['renew-self', 'renew'] as const) : WAYS;
      const before = await tokens.self(token);
      for (const way of ways) {
        const { status, json } = await by(way, { increment: 60 });
        assert.equal(status, 400);
        assert.match(String(at(json, 'errors', '0')), /lease is not renewable/);
      }
      assert.deepEqual(await tokens.self(token), before);
    });
  }

  for (const [path, body] of [
    ['renew', {}],
    ['renew', { token: '' }],
    ['renew', { token: 's.none' }],
    ['renew', { token: 'b.none' }],
    ['renew', { token: [] }],
    ['renew-accessor', {}],
    ['renew-accessor', { accessor: '' }],
    ['renew-accessor', { accessor: 'none' }],
    ['renew-accessor', { accessor: 'A'.repeat(24) }],
    ['renew-accessor', { accessor: 'x'.repeat(100_000) }],
  ] as const) {
    test(`${path} ${JSON.stringify(body).slice(0, 50)}: 400`, async () => {
      const tokens = await TokenServer.open();
      assert.equal(await tokens.status(path, body), 400);
    });
  }

  test('a wrapping token', async () => {
    const tokens = await TokenServer.open();
    const { json } = await tokens.call('create', { policies: ['p'] }, undefined, {
      headers: { 'x-service-wrap-ttl': '60' },
    });
    const [token, accessor] = [at(json, 'wrap_info', 'token'), at(json, 'wrap_info', 'accessor')];
    assert.equal(await tokens.status('renew', { token }), 400);
    assert.equal(await tokens.status('renew-accessor', { accessor }), 400);
  });
});

describe('the renewal of a token made by a role', () => {
  const made = async (role: object, body: object = {}) => {
    const tokens = await TokenServer.open();
    await tokens.role('r', role);
    const { token } = await tokens.make({ policies: ['maker'], ttl: 600, ...body }, undefined, 'create/r');
    const renew = async (increment = 600): Promise<unknown> => {
      const { status, json } = await tokens.call('renew-self', { increment }, token);
      return status === 200 ? at(json, 'auth', 'lease_duration') : status;
    };
    return { tokens, renew };
  };

  for (const [what, before, body, after, wanted] of [
    ['as it was', { token_period: 60 }, {}, {}, 60],
    ['a shorter period', { token_period: 60 }, {}, { token_period: 30 }, 30],
    ['a longer period', { token_period: 60 }, {}, { token_period: 90 }, 60],
    ['a period taken away', { token_period: 60 }, {}, { token_period: 0 }, 60],
    ['an earlier end', { token_explicit_max_ttl: 300 }, {}, { token_explicit_max_ttl: 200 }, 100],
    ['a later end', { token_explicit_max_ttl: 300 }, {}, { token_explicit_max_ttl: 900 }, 200],
    ['an end taken away', { token_explicit_max_ttl: 300 }, {}, { token_explicit_max_ttl: 0 }, 200],
    ['an end of its own', {}, { explicit_max_ttl: 300 }, {}, 200],
    ['an end that is over', {}, {}, { token_explicit_max_ttl: 100 }, 400],
  ] as const) {
    test(`${what}: ${wanted}`, async () => {
      const { tokens, renew } = await made({ allowed_policies: ['maker'], ...before }, body);
      if (wanted === 60 || wanted === 30) assert.equal(await renew(), 60);
      else tokens.pass(100);
      await tokens.role('r', after);
      assert.equal(await renew(), wanted);
    });
  }

  test('is 400 once the role is gone', async () => {
    const { tokens, renew } = await made({ allowed_policies: ['maker'] });
    assert.equal(await renew(), 600);
    await tokens.server.call('DELETE', 'auth/token/roles/r');
    assert.equal(await renew(), 400);
  });
});
