import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../sys/testing.ts';
import { accessorId, putAccessor } from '../../tokens/accessor.ts';
import { putToken, tokenKey } from '../../tokens/store.ts';
import type { TokenRecord } from '../../tokens/token.ts';
import { TokenServer } from './testing.ts';

const list = async ({ server }: TokenServer, query = '', token = server.root): Promise<unknown> => {
  const { status, json } = await server.call('LIST', `auth/token/accessors${query}`, { token });
  return status === 200 ? at(json, 'data', 'keys') : status;
};

/** Stores so many tokens at once, without asking for each. */
async function fill({ server, now }: TokenServer, count: number): Promise<void> {
  for (let first = 0; first < count; first += 400) {
    await server.service.barrier.transact((tx) => {
      for (let i = first; i < Math.min(count, first + 400); i++) {
        const record: TokenRecord = {
          accessor: tx.random(18).toString('base64url'),
          type: 'service',
          policies: ['default'],
          displayName: 'token',
          path: 'auth/token/create',
          metadata: [],
          created: now,
          ttl: 0,
          explicitMaxTtl: 0,
          period: 0,
          renewable: false,
          numUses: 0,
          ancestors: [],
          entityId: '',
        };
        const key = tokenKey(tx, `filled-${i}`);
        putToken(tx, key, record);
        putAccessor(tx, key, record);
      }
    });
  }
}

describe('the list of accessors', () => {
  test('names every token that is stored, in order, a page at a time', async () => {
    const tokens = await TokenServer.open();
    const made: string[] = [];
    for (let i = 0; i < 40; i++) made.push((await tokens.make({ policies: ['p'] })).accessor);
    const root = String(at(await tokens.self(tokens.server.root), 'accessor'));
    const all = [...made, root].sort();
    assert.deepEqual(await list(tokens), all);
    assert.deepEqual(await list(tokens, '?limit=0'), all);
    assert.deepEqual(await list(tokens, '?limit=-5'), all);
    for (const limit of [1, 7, 40, 41, 42]) {
      const walked: string[] = [];
      for (let after = ''; ; ) {
        const page = await list(tokens, `?limit=${limit}&after=${after}`);
        if (page === 404) break;
        assert.ok(Array.isArray(page) && page.length <= limit && page.length > 0);
        walked.push(...page);
        after = String(page.at(-1));
      }
      assert.deepEqual(walked, all, `by ${limit}`);
    }
    for (const i of [0, 13, 40])
      assert.deepEqual(await list(tokens, `?after=${all[i]}&limit=1`), i === 40 ? 404 : [all[i + 1]]);
  });

  test('begins after what need not exist, however odd', async () => {
    const tokens = await TokenServer.open();
    for (let i = 0; i < 20; i++) await tokens.make({ policies: ['p'] });
    const all = await list(tokens);
    assert.ok(Array.isArray(all));
    const behind = (after: string) => all.filter((accessor) => accessor > after);
    const [middle = ''] = all.slice(9);
    for (const after of [
      '-',
      '0',
      'a',
      middle.slice(0, 1),
      middle.slice(0, 12),
      middle.slice(0, 13),
      `${middle}x`,
      'zzz',
      '~',
    ]) {
      const wanted = behind(after);
      assert.deepEqual(await list(tokens, `?after=${after}`), wanted.length === 0 ? 404 : wanted, after);
    }
    for (const after of ['%F0%9F%98%80', `aaaaaaaaaaa%F0%9F%98%80`, 'x'.repeat(5_000), '%00', '..%2F']) {
      const found = await list(tokens, `?after=${after}`);
      assert.ok(found === 404 || found === 400 || Array.isArray(found), `${after.slice(0, 20)}: ${found}`);
    }
    for (const limit of ['x', '1.5']) assert.equal(await list(tokens, `?limit=${limit}`), 400);
  });

  test('of 10,000 comes whole, in order, and by pages of any size', async () => {
    const tokens = await TokenServer.open();
    await fill(tokens, 10_000);
    const all = await list(tokens);
    assert.ok(Array.isArray(all));
    assert.equal(all.length, 10_001);
    assert.equal(new Set(all).size, 10_001);
    assert.deepEqual(all, [...all].sort());
    assert.deepEqual(await list(tokens, '?limit=7000'), all.slice(0, 7_000));
    assert.deepEqual(await list(tokens, `?after=${all[4_999]}`), all.slice(5_000));
    assert.deepEqual(await list(tokens, `?after=${all[4_998]}&limit=5000`), all.slice(4_999, 9_999));
  });

  test('takes list and sudo', async () => {
    const tokens = await TokenServer.open();
    const rule = (capabilities: string) =>
      tokens.server.tokenWith(`path "auth/token/accessors" { capabilities = [${capabilities}] }`);
    assert.equal(await list(tokens, '', await rule('"list"')), 403);
    assert.equal(await list(tokens, '', await rule('"sudo"')), 403);
    assert.ok(Array.isArray(await list(tokens, '', await rule('"list", "sudo"'))));
  });
});

test('tidy answers at once, and what has ended is gone; what lives stays', async () => {
  const tokens = await TokenServer.open();
  const folders = ['token/', 'accessor/', 'lease-of/', 'due/', 'wrapped/'];
  const lasting = await tokens.make({ policies: ['p'], ttl: '2h' });
  const before = tokens.stored(...folders);
  for (let i = 0; i < 50; i++) await tokens.make({ policies: ['p'], ttl: 10 });
  tokens.pass(10);
  const { status, json } = await tokens.call('tidy', {});
  assert.equal(status, 202);
  assert.equal(Array.from(Object(at(json, 'warnings'))).length, 1);
  await tokens.settle();
  assert.deepEqual(tokens.stored(...folders), before);
  assert.ok(await tokens.lives(lasting.token));
  assert.equal(await tokens.status('tidy', {}, lasting.token), 403);
});

describe('an accessor', () => {
  test('is of another token each time, also where a value is given again', async () => {
    const tokens = await TokenServer.open();
    const seen = new Set<string>();
    for (let i = 0; i < 5; i++) {
      const { accessor, token } = await tokens.make({ policies: ['p'], id: 'again' });
      assert.match(accessor, /^[A-Za-z0-9_-]{24}$/);
      for (const old of seen) assert.equal(await tokens.status('lookup-accessor', { accessor: old }), 400);
      seen.add(accessor);
      await tokens.call('revoke', { token });
    }
    assert.equal(seen.size, 5);
  });

  test('opens nothing itself, and one character more, less or other names none', async () => {
    const tokens = await TokenServer.open();
    const { accessor } = await tokens.make({ policies: ['p'] });
    assert.ok(!(await tokens.lives(accessor)));
    const other = accessor.endsWith('A') ? 'B' : 'A';
    for (const wrong of [
      `${accessor}A`,
      accessor.slice(0, -1),
      accessor.slice(0, -1) + other,
      ` ${accessor}`,
      `${accessor}\n`,
      accessor.toUpperCase() === accessor ? 'x' : accessor.toUpperCase(),
    ]) {
      assert.equal(await tokens.status('lookup-accessor', { accessor: wrong }), 400, JSON.stringify(wrong));
      assert.equal(await tokens.status('revoke-accessor', { accessor: wrong }), 200);
    }
    assert.equal(await tokens.status('lookup-accessor', { accessor }), 200);
  });

  test('stands in the name of its record by its first half alone', async () => {
    const tokens = await TokenServer.open();
    const { accessor } = await tokens.make({ policies: ['p'] });
    const id = await tokens.server.service.barrier.transact((tx) => accessorId(tx, accessor));
    assert.ok(tokens.stored('accessor/').includes(`accessor/${id}`));
    for (const [key, value] of tokens.server.store.contents()) {
      assert.ok(!key.includes(accessor.slice(12)) && !value.includes(accessor), key);
    }
  });
});
