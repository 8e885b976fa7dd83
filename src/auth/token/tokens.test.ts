import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, TestServer } from '../../sys/testing.ts';

const RULES = 'path "auth/token/*" { capabilities = ["create", "update", "read", "sudo"] }';

/** A server whose clock is set by hand, in seconds. */
async function clocked() {
  const clock = { seconds: 1_000_000 };
  const server = await TestServer.open({ clock: () => clock.seconds * 1_000 });
  const create = async (body: object, token = server.root) => {
    const { status, json } = await server.call('POST', 'auth/token/create', { body, token });
    assert.equal(status, 200, JSON.stringify(json));
    return String(at(json, 'auth', 'client_token'));
  };
  const alive = async (token: string) => (await server.call('GET', 'auth/token/lookup-self', { token })).status === 200;
  await server.call('POST', 'sys/policies/acl/maker', { body: { policy: RULES } });
  return { clock, server, create, alive };
}

describe('the life of a token', () => {
  test('ends on the second', async () => {
    const { clock, create, alive } = await clocked();
    const token = await create({ policies: ['maker'], ttl: 10 });
    clock.seconds += 9.999;
    assert.ok(await alive(token));
    clock.seconds += 0.001;
    assert.ok(!(await alive(token)));
  });

  test('ends with that of its parent, and of the parent’s parent, expired or revoked', async () => {
    for (const end of ['expire', 'revoke'] as const) {
      const { clock, server, create, alive } = await clocked();
      const parent = await create({ policies: ['maker'], ttl: 10 });
      const child = await create({ policies: ['maker'], ttl: 500 }, parent);
      const grandchild = await create({ policies: ['maker'], ttl: 500 }, child);
      const orphan = await create({ policies: ['maker'], ttl: 500, no_parent: true }, child);
      assert.deepEqual(await Promise.all([parent, child, grandchild, orphan].map(alive)), [true, true, true, true]);
      if (end === 'expire') clock.seconds += 10;
      else await server.call('POST', 'auth/token/revoke', { body: { token: parent } });
      assert.deepEqual(
        await Promise.all([parent, child, grandchild, orphan].map(alive)),
        [false, false, false, true],
        end,
      );
    }
  });

  test('is not taken up by another token of the same chosen value', async () => {
    const { server, create, alive } = await clocked();
    const parent = await create({ id: 'ops', policies: ['root'] });
    const child = await create({ policies: ['root'] }, parent);
    assert.ok(await alive(child));
    await server.call('POST', 'auth/token/revoke', { body: { token: 'ops' } });
    assert.ok(!(await alive(child)));
    await create({ id: 'ops', policies: ['default'] });
    assert.ok(!(await alive(child)));
  });

  test('of 32 generations; the last one makes orphans only', async () => {
    const { server, create } = await clocked();
    let token = await create({ policies: ['maker'] });
    for (let generation = 3; generation <= 32; generation++) token = await create({}, token);
    assert.equal((await server.call('POST', 'auth/token/create', { body: {}, token })).status, 400);
    assert.equal((await server.call('POST', 'auth/token/create-orphan', { body: {}, token })).status, 200);
  });

  test('is taken back by the token itself', async () => {
    const { server, create, alive } = await clocked();
    const token = await create({ policies: ['default'] });
    assert.equal((await server.call('POST', 'auth/token/revoke-self', { token })).status, 204);
    assert.ok(!(await alive(token)));
  });

  test('revoking an unknown token is 204, none is 400', async () => {
    const { server } = await clocked();
    const revoke = async (body: object) => (await server.call('POST', 'auth/token/revoke', { body })).status;
    assert.deepEqual(
      [await revoke({ token: 's.none' }), await revoke({ token: '' }), await revoke({})],
      [204, 400, 400],
    );
  });
});

describe('uses of a token', () => {
  test('refused requests count, and the last use ends it with all that came from it', async () => {
    const { server, create, alive } = await clocked();
    const token = await create({ policies: ['default'], num_uses: 3 });
    const look = async () =>
      at((await server.call('POST', 'auth/token/lookup', { body: { token } })).json, 'data', 'num_uses');
    assert.equal(await look(), 3);
    assert.equal((await server.call('GET', 'sys/mounts', { token })).status, 403);
    assert.equal(await look(), 2);
    assert.equal((await server.call('GET', 'auth/token/nothing', { token })).status, 403);
    assert.equal(await look(), 1);
    const last = await server.call('GET', 'auth/token/lookup-self', { token });
    assert.deepEqual([last.status, at(last.json, 'data', 'num_uses')], [200, 0]);
    assert.ok(!(await alive(token)));
  });

  test('64 parallel requests spend exactly five of five', async () => {
    const { server, create } = await clocked();
    const token = await create({ policies: ['default'], num_uses: 5 });
    const all = await Promise.all(
      Array.from({ length: 64 }, () => server.call('GET', 'auth/token/lookup-self', { token })),
    );
    assert.equal(all.filter(({ status }) => status === 200).length, 5);
    assert.equal(all.filter(({ status }) => status === 403).length, 59);
  });

  test('a token whose uses are counted creates none', async () => {
    const { server, create } = await clocked();
    const token = await create({ policies: ['maker'], num_uses: 2 });
    for (let i = 0; i < 2; i++) {
      assert.equal((await server.call('POST', 'auth/token/create', { body: {}, token })).status, 400);
    }
    assert.equal((await server.call('POST', 'auth/token/create', { body: {}, token })).status, 403);
  });
});

describe('creating a token', () => {
  for (const [what, body, status] of [
    ['a chosen value', { id: 'chosen', policies: ['default'] }, 200],
    ['a chosen value with a dot', { id: 's.x' }, 400],
    ['a chosen value with a blank', { id: 'a b' }, 400],
    ['a chosen value of 256 characters', { id: 'x'.repeat(256) }, 200],
    ['a chosen value of 257 characters', { id: 'x'.repeat(257) }, 400],
    ['a batch token', { type: 'batch' }, 400],
    ['a token of no type', { type: 'other' }, 400],
    ['an alias without a role', { entity_alias: 'x' }, 400],
    ['a negative ttl', { ttl: '-1s' }, 400],
    ['a ttl that is none', { ttl: 'soon' }, 400],
    ['negative uses', { num_uses: -1 }, 400],
    ['metadata of 64 KiB', { meta: { a: 'x'.repeat(65_535) } }, 200],
    ['metadata of one byte more', { meta: { a: 'x'.repeat(65_536) } }, 400],
    ['metadata that is no map', { meta: 'a' }, 400],
    ['the older name of ttl', { lease: '1h' }, 200],
  ] as const) {
    test(`${what}: ${status}`, async () => {
      const server = await TestServer.open();
      assert.equal((await server.call('POST', 'auth/token/create', { body })).status, status);
    });
  }

  test('a chosen value is taken once', async () => {
    const { server, create } = await clocked();
    await create({ id: 'chosen', policies: ['default'] });
    const again = await server.call('POST', 'auth/token/create', { body: { id: 'chosen', policies: ['root'] } });
    assert.equal(again.status, 400);
    assert.equal(
      at((await server.call('GET', 'auth/token/lookup-self', { token: 'chosen' })).json, 'data', 'policies', '0'),
      'default',
    );
  });

  test('a part of a second is a whole one, so a short life never becomes an endless one', async () => {
    const { server } = await clocked();
    const { json } = await server.call('POST', 'auth/token/create', { body: { policies: ['root'], ttl: '1ms' } });
    assert.equal(at(json, 'auth', 'lease_duration'), 1);
  });

  test('id, no_parent and period need sudo', async () => {
    const { server, create } = await clocked();
    const policy = 'path "auth/token/create" { capabilities = ["update"] }';
    await server.call('POST', 'sys/policies/acl/plain', { body: { policy } });
    const token = await create({ policies: ['plain'], no_default_policy: true });
    const status = async (body: object) => (await server.call('POST', 'auth/token/create', { body, token })).status;
    assert.deepEqual(
      [await status({}), await status({ id: 'x' }), await status({ no_parent: true }), await status({ period: '1h' })],
      [200, 400, 400, 400],
    );
  });

  test('metadata keeps odd names', async () => {
    const { server, create } = await clocked();
    const meta = JSON.parse('{"__proto__":"a","constructor":"b","1":"c"}');
    const token = await create({ policies: ['default'], meta });
    const { json } = await server.call('GET', 'auth/token/lookup-self', { token });
    assert.deepEqual(at(json, 'data', 'meta'), meta);
  });
});

test('neither tokens nor accessors can be found in what is stored', async () => {
  const { server, create } = await clocked();
  const token = await create({ policies: ['default'] });
  const { json } = await server.call('GET', 'auth/token/lookup-self', { token });
  const accessor = String(at(json, 'data', 'accessor'));
  for (const [key, value] of server.store.contents()) {
    for (const secret of [token, token.slice(2), accessor, server.root]) {
      assert.ok(!key.includes(secret) && !value.includes(secret), `${key} holds a token or an accessor`);
    }
  }
});
