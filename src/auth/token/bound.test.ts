import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../sys/testing.ts';
import { TokenServer } from './testing.ts';

const tokens = await TokenServer.open();
let roles = 0;

/** A token that only these addresses may use. */
async function bound(blocks: unknown, body: object = {}): Promise<string> {
  const name = `bound-${roles++}`;
  await tokens.role(name, { token_bound_cidrs: blocks, orphan: true });
  return (await tokens.make({ policies: ['maker'], ...body }, undefined, `create/${name}`)).token;
}

describe('a token that is bound to addresses', () => {
  for (const [blocks, inside, outside] of [
    [['192.0.2.0/24'], ['192.0.2.0', '192.0.2.255'], ['192.0.1.255', '192.0.3.0', '::1', '::ffff:c000:201']],
    [['192.0.2.7'], ['192.0.2.7'], ['192.0.2.6', '192.0.2.8']],
    [['192.0.2.4/30'], ['192.0.2.4', '192.0.2.7'], ['192.0.2.3', '192.0.2.8']],
    [['192.0.2.5/30'], ['192.0.2.4', '192.0.2.7'], ['192.0.2.3', '192.0.2.8']],
    [['::ffff:192.0.2.7'], ['192.0.2.7'], ['192.0.2.8', '::1']],
    [['::ffff:c000:207/128'], ['192.0.2.7'], ['192.0.2.8']],
    [['2001:db8::/32'], ['2001:db8::', '2001:db8:ffff::1'], ['2001:db9::', '192.0.2.1']],
    [['::/0'], ['::1', '2001:db8::'], ['192.0.2.1']],
    [['0.0.0.0/0'], ['192.0.2.1'], ['::1']],
    ['10.0.0.0/8,2001:db8::1', ['10.9.9.9', '2001:db8::1'], ['11.0.0.0', '2001:db8::2']],
  ] as const) {
    test(JSON.stringify(blocks), async () => {
      for (const token of [await bound(blocks), await bound(blocks, { type: 'batch' })]) {
        for (const peer of inside) assert.ok(await tokens.lives(token, peer), peer);
        for (const peer of outside) assert.ok(!(await tokens.lives(token, peer)), peer);
      }
    });
  }

  test('is refused elsewhere just as one that does not exist, and no use of it is spent there', async () => {
    const token = await bound('192.0.2.1', { num_uses: 2 });
    const ask = (value: string, path: string) => tokens.server.call('GET', path, { token: value, peer: '192.0.2.2' });
    for (const path of ['auth/token/lookup-self', 'sys/mounts', 'auth/token/absent', 'absent/x']) {
      const [one, other] = [await ask(token, path), await ask('s.none', path)];
      assert.deepEqual([one.status, one.text], [403, other.text]);
    }
    assert.equal(at((await tokens.call('lookup', { token })).json, 'data', 'num_uses'), 2);
    assert.deepEqual(at((await tokens.call('lookup', { token })).json, 'data', 'bound_cidrs'), ['192.0.2.1']);
  });

  test('is shown, renewed and revoked by others wherever they are', async () => {
    const token = await bound('192.0.2.1', { ttl: 600 });
    assert.equal(await tokens.status('lookup', { token }), 200);
    assert.equal(await tokens.status('renew', { token }), 200);
    assert.equal(await tokens.status('revoke', { token }), 204);
    assert.ok(!(await tokens.lives(token, '192.0.2.1')));
  });

  test('hands its addresses on to its children and theirs, and not to orphans; a role gives its own', async () => {
    const parent = await bound('192.0.2.1');
    const make = async (path: string, body: object, by: string): Promise<string> => {
      const { status, json, text } = await tokens.call(path, body, by, { peer: '192.0.2.1' });
      assert.equal(status, 200, text);
      return String(at(json, 'auth', 'client_token'));
    };
    await tokens.role('elsewhere', { token_bound_cidrs: '198.51.100.1' });
    await tokens.role('anywhere', {});
    const child = await make('create', {}, parent);
    const batch = await make('create', { type: 'batch' }, parent);
    const grandchild = await make('create', {}, child);
    for (const token of [child, batch, grandchild]) {
      assert.ok(await tokens.lives(token, '192.0.2.1'));
      assert.ok(!(await tokens.lives(token, '198.51.100.1')));
    }
    const moved = await make('create/elsewhere', {}, parent);
    assert.deepEqual(
      [await tokens.lives(moved, '192.0.2.1'), await tokens.lives(moved, '198.51.100.1')],
      [false, true],
    );
    for (const path of ['create-orphan', 'create/anywhere']) {
      assert.ok(await tokens.lives(await make(path, {}, parent), '203.0.113.9'), path);
    }
    assert.ok(await tokens.lives(await make('create', { no_parent: true }, parent), '203.0.113.9'));
  });

  test('is not the root token that never ends, which is the way back in', async () => {
    await tokens.role('root-bound', { token_bound_cidrs: '192.0.2.1' });
    const make = async (body: object) =>
      (await tokens.make({ policies: ['root'], ...body }, undefined, 'create/root-bound')).token;
    assert.ok(await tokens.lives(await make({}), '203.0.113.9'));
    const ending = await make({ ttl: 60 });
    assert.deepEqual(
      [await tokens.lives(ending, '203.0.113.9'), await tokens.lives(ending, '192.0.2.1')],
      [false, true],
    );
  });

  test('keeps its addresses where the role changes, and by a renewal', async () => {
    await tokens.role('moving', { token_bound_cidrs: '192.0.2.1' });
    const { token } = await tokens.make({ policies: ['maker'], ttl: 60 }, undefined, 'create/moving');
    await tokens.role('moving', { token_bound_cidrs: '192.0.2.2' });
    assert.equal(await tokens.status('renew', { token }), 200);
    assert.deepEqual([await tokens.lives(token, '192.0.2.1'), await tokens.lives(token, '192.0.2.2')], [true, false]);
  });

  test('is looked at by one who lies about the address', async () => {
    const token = await bound('192.0.2.1');
    for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'x-client-ip', 'true-client-ip']) {
      const { status } = await tokens.server.call('GET', 'auth/token/lookup-self', {
        token,
        peer: '203.0.113.9',
        headers: { [name]: name === 'forwarded' ? 'for=192.0.2.1' : '192.0.2.1' },
      });
      assert.equal(status, 403, name);
    }
  });
});
