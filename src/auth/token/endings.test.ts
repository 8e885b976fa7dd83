import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../sys/testing.ts';
import { TokenServer } from './testing.ts';

/** A grandparent, its child, and of that a child, a batch token and an orphan. */
async function family() {
  const tokens = await TokenServer.open();
  const { token: grandparent } = await tokens.make({ policies: ['maker'], ttl: '1h' });
  const parent = await tokens.child(grandparent, { ttl: '1h' });
  const child = await tokens.child(parent, { ttl: '2h' });
  const batch = await tokens.child(parent, { ttl: '2h', type: 'batch' });
  const { token: orphan } = await tokens.make({ ttl: '2h' }, parent, 'create-orphan');
  const living = async (): Promise<string> => {
    const all = { grandparent, parent, child, batch, orphan };
    const found: string[] = [];
    for (const [name, token] of Object.entries(all)) if (await tokens.lives(token)) found.push(name);
    return found.join(' ');
  };
  return { tokens, grandparent, parent, child, batch, orphan, living };
}

describe('the end of a token takes along all that came from it', () => {
  const ends: readonly (readonly [string, (of: Awaited<ReturnType<typeof family>>) => Promise<unknown>, string])[] = [
    ['nothing', async () => {}, 'grandparent parent child batch orphan'],
    ['its parent revoked', ({ tokens, parent }) => tokens.call('revoke', { token: parent }), 'grandparent orphan'],
    [
      'its parent’s parent revoked',
      ({ tokens, grandparent }) => tokens.call('revoke', { token: grandparent }),
      'orphan',
    ],
    [
      'its parent’s parent revoked by itself',
      ({ tokens, grandparent }) => tokens.call('revoke-self', {}, grandparent),
      'orphan',
    ],
    [
      'its parent revoked alone',
      ({ tokens, parent }) => tokens.call('revoke-orphan', { token: parent }),
      'grandparent child batch orphan',
    ],
    [
      'its parent’s parent revoked alone',
      ({ tokens, grandparent }) => tokens.call('revoke-orphan', { token: grandparent }),
      'parent child batch orphan',
    ],
    [
      'its parent revoked alone, and that one’s parent after it',
      async ({ tokens, parent, grandparent }) => {
        await tokens.call('revoke-orphan', { token: parent });
        await tokens.call('revoke', { token: grandparent });
      },
      'child batch orphan',
    ],
    [
      'its parent’s parent revoked alone, and then its parent',
      async ({ tokens, parent, grandparent }) => {
        await tokens.call('revoke-orphan', { token: grandparent });
        await tokens.call('revoke', { token: parent });
      },
      'orphan',
    ],
    ['an hour gone', async ({ tokens }) => tokens.pass(3_600), 'orphan'],
  ];
  for (const [what, end, left] of ends) {
    test(what, async () => {
      const whole = await family();
      await end(whole);
      assert.equal(await whole.living(), left);
      await whole.tokens.settle();
      assert.equal(await whole.living(), left, 'after the sweep');
    });
  }

  test('what has ended with its parent does not come back where that is revoked alone afterwards', async () => {
    for (const end of ['revoke', 'expire'] as const) {
      const { tokens, grandparent, parent, living } = await family();
      if (end === 'revoke') await tokens.call('revoke', { token: grandparent });
      else tokens.pass(3_600);
      assert.equal(await living(), 'orphan');
      for (const token of [parent, grandparent]) assert.equal(await tokens.status('revoke-orphan', { token }), 400);
      assert.equal(await living(), 'orphan', end);
    }
  });

  test('an orphan says so, and whoever has become one', async () => {
    const { tokens, parent, child, batch, orphan } = await family();
    const says = async () =>
      Promise.all([child, batch, orphan].map(async (one) => at(await tokens.self(one), 'orphan')));
    assert.deepEqual(await says(), [false, false, true]);
    await tokens.call('revoke-orphan', { token: parent });
    assert.deepEqual(await says(), [true, true, true]);
    const looked = await tokens.call('lookup', { token: batch });
    assert.equal(at(looked.json, 'data', 'orphan'), true);
  });
});

describe('revoking', () => {
  for (const [path, body, status] of [
    ['revoke', {}, 400],
    ['revoke', { token: '' }, 400],
    ['revoke', { token: null }, 400],
    ['revoke', { token: [] }, 400],
    ['revoke', { token: 's.none' }, 204],
    ['revoke', { token: 'none' }, 204],
    ['revoke', { token: 'x'.repeat(100_000) }, 204],
    ['revoke', { token: 'b.' }, 204],
    ['revoke', { token: 'b.none' }, 204],
    ['revoke-orphan', {}, 400],
    ['revoke-orphan', { token: 's.none' }, 400],
    ['revoke-orphan', { token: 'b.none' }, 400],
    ['revoke-accessor', {}, 400],
    ['revoke-accessor', { accessor: 'none' }, 200],
    ['revoke-accessor', { accessor: 'A'.repeat(24) }, 200],
    ['revoke-accessor', { accessor: 7 }, 200],
  ] as const) {
    test(`${path} ${JSON.stringify(body).slice(0, 40)}: ${status}`, async () => {
      const tokens = await TokenServer.open();
      const { status: found, json } = await tokens.call(path, body);
      assert.equal(found, status);
      if (status === 200) assert.match(String(at(json, 'warnings', '0')), /no token of this accessor/);
    });
  }

  test('a batch token is 400 while it lives, and nothing once it does not', async () => {
    const tokens = await TokenServer.open();
    const { token } = await tokens.make({ policies: ['maker'], type: 'batch', ttl: 10 });
    for (const path of ['revoke', 'revoke-orphan']) assert.equal(await tokens.status(path, { token }), 400);
    assert.equal(await tokens.status('revoke-self', {}, token), 400);
    assert.ok(await tokens.lives(token));
    tokens.pass(10);
    assert.equal(await tokens.status('revoke', { token }), 204);
    assert.equal(await tokens.status('revoke-orphan', { token }), 400);
  });

  test('leaves nothing of a token behind, however it is done', async () => {
    const tokens = await TokenServer.open();
    const folders = ['token/', 'accessor/', 'lease-of/', 'due/'];
    const before = tokens.stored(...folders);
    for (const end of ['revoke', 'revoke-self', 'revoke-accessor', 'revoke-orphan', 'expire', 'uses'] as const) {
      const uses = end === 'uses' ? { num_uses: 1 } : {};
      const { token, accessor } = await tokens.make({ policies: ['maker'], ttl: 60, ...uses });
      assert.equal(tokens.stored(...folders).length, before.length + 4, 'a token is four records');
      if (end === 'revoke-self') assert.equal(await tokens.status(end, {}, token), 204);
      else if (end === 'uses') assert.ok(await tokens.lives(token));
      else if (end !== 'expire') assert.equal(await tokens.status(end, { token, accessor }), 204);
      else {
        tokens.pass(60);
        await tokens.settle();
      }
      assert.deepEqual(tokens.stored(...folders), before, end);
      assert.equal(await tokens.status('lookup-accessor', { accessor }), 400);
    }
  });

  test('of a root token leaves nothing of its children either, a day later, though they would never end', async () => {
    const tokens = await TokenServer.open();
    const folders = ['token/', 'accessor/', 'lease-of/', 'due/'];
    const before = tokens.stored(...folders);
    const { token: parent } = await tokens.make({ policies: ['root'], no_parent: true });
    let token = parent;
    for (let i = 0; i < 3; i++) token = await tokens.child(token, { policies: ['root'] });
    const kept = tokens.stored(...folders);
    for (let day = 0; day < 2; day++) {
      tokens.pass(86_400);
      await tokens.settle();
      assert.ok(await tokens.lives(token));
      assert.equal(tokens.stored(...folders).length, kept.length);
    }
    await tokens.call('revoke', { token: parent });
    tokens.pass(86_400);
    await tokens.settle();
    assert.deepEqual(tokens.stored(...folders), before);
  });

  test('an accessor whose token has ended with an ancestor is 400 to look up and to renew', async () => {
    const tokens = await TokenServer.open();
    const { token: parent } = await tokens.make({ policies: ['maker'] });
    const { accessor } = await tokens.make({}, parent);
    assert.equal(await tokens.status('lookup-accessor', { accessor }), 200);
    await tokens.call('revoke', { token: parent });
    for (const path of ['lookup-accessor', 'renew-accessor'])
      assert.equal(await tokens.status(path, { accessor }), 400);
    assert.equal(await tokens.status('revoke-accessor', { accessor }), 204);
    assert.deepEqual(await tokens.call('revoke-accessor', { accessor }).then(({ status }) => status), 200);
  });
});
