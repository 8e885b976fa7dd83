import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../../sys/testing.ts';
import { TokenServer } from './testing.ts';

const tokens = await TokenServer.open();
const { server } = tokens;
await tokens.role('aliases', {
  allowed_entity_aliases: ['Ada', 'team-*', '*-bot', 'kelvin'],
  allowed_policies: ['maker'],
});

const make = (entity_alias: unknown, more: object = {}, token?: string) =>
  tokens.call('create/aliases', { entity_alias, ...more }, token);

async function entityOf(alias: string, more: object = {}): Promise<string> {
  const { status, json, text } = await make(alias, more);
  assert.equal(status, 200, text);
  return String(at(json, 'auth', 'entity_id'));
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('a token that is made for an alias', () => {
  for (const [alias, status] of [
    ['ada', 200],
    ['ADA', 200],
    ['adam', 400],
    ['a', 400],
    ['team-', 200],
    ['Team-Blue', 200],
    ['team', 400],
    ['build-bot', 200],
    ['build-bots', 400],
    ['*', 400],
    ['team-*', 200],
    ['Kelvin', 200],
    // The Kelvin sign is no k: it would be somebody else.
    ['\u212aelvin', 400],
    [['ada'], 400],
    [{}, 400],
    ['team-\u0000', 400],
    ['team-\n', 400],
    ['team-\ud83d', 400],
    [`team-${'x'.repeat(10_000)}`, 400],
  ] as const) {
    test(`${JSON.stringify(alias).slice(0, 30)}: ${status}`, async () => {
      const { status: found, json, text } = await make(alias);
      assert.equal(found, status, text);
      if (status === 200) assert.match(String(at(json, 'auth', 'entity_id')), UUID);
      else assert.ok(!text.includes('xxxxxxxx'));
    });
  }

  test('speaks for the one entity of that alias, in whatever letters, of type batch too', async () => {
    const ids = [await entityOf('ada'), await entityOf('ADA'), await entityOf('Ada', { type: 'batch' })];
    assert.equal(new Set(ids).size, 1);
    assert.notEqual(await entityOf('team-red'), ids[0]);
    const { json } = await server.call('GET', `identity/entity/id/${ids[0]}`);
    assert.deepEqual(at(json, 'data', 'aliases', '0', 'name'), 'ada');
  });

  test('64 at once of an alias that nobody had speak for one entity', async () => {
    const ids = await Promise.all(Array.from({ length: 64 }, () => entityOf('team-at-once')));
    assert.equal(new Set(ids).size, 1);
  });

  test('has what is given to the entity from then on, shown apart from its own', async () => {
    const { json } = await make('team-rights');
    const token = String(at(json, 'auth', 'client_token'));
    const id = String(at(json, 'auth', 'entity_id'));
    const named = (data: unknown) => [at(data, 'policies'), at(data, 'identity_policies')];
    assert.deepEqual(named(await tokens.self(token)), [['default', 'maker'], undefined]);
    await server.call('POST', 'sys/policies/acl/box', {
      body: { policy: 'path "sys/mounts" { capabilities = ["read"] }' },
    });
    assert.equal((await server.call('GET', 'sys/mounts', { token })).status, 403);
    await server.call('POST', `identity/entity/id/${id}`, { body: { policies: ['box'] } });
    assert.equal((await server.call('GET', 'sys/mounts', { token })).status, 200);
    assert.deepEqual(named(await tokens.self(token)), [['default', 'maker'], ['box']]);
    const child = await tokens.make({}, token);
    // A child speaks for its parent's entity, but what the entity has is not the child's own.
    assert.deepEqual(
      ['entity_id', 'token_policies', 'identity_policies', 'policies'].map((name) => at(child.auth, name)),
      [id, ['default', 'maker'], ['box'], ['box', 'default', 'maker']],
    );
    // Nor may it be handed on as if it were.
    await tokens.role('plain-aliases', { allowed_entity_aliases: '*', allowed_policies: 'plain' });
    const { json: weak } = await tokens.call('create/plain-aliases', { entity_alias: 'team-rights' });
    const asked = await tokens.status('create', { policies: ['box'] }, String(at(weak, 'auth', 'client_token')));
    assert.deepEqual([at(weak, 'auth', 'identity_policies'), asked], [['box'], 400]);
    const { token: orphan } = await tokens.make({}, token, 'create-orphan');
    assert.equal(at(await tokens.self(orphan), 'entity_id'), '');
    assert.equal((await server.call('GET', 'sys/mounts', { token: orphan })).status, 403);
  });

  test('opens nothing while the entity is disabled, nor once it is gone; nor is it made then', async () => {
    const id = await entityOf('team-off');
    const all = await Promise.all(
      [{}, { type: 'batch' }].map(async (more) =>
        String(at((await make('team-off', more)).json, 'auth', 'client_token')),
      ),
    );
    const [first = ''] = all;
    all.push(await tokens.child(first), await tokens.child(first, { type: 'batch' }));
    const lives = async () => Promise.all(all.map((token) => tokens.lives(token)));
    assert.deepEqual(new Set(await lives()), new Set([true]));
    await server.call('POST', `identity/entity/id/${id}`, { body: { disabled: true } });
    assert.deepEqual(new Set(await lives()), new Set([false]));
    assert.equal((await make('team-off')).status, 403);
    assert.equal((await make('TEAM-OFF', { type: 'batch' })).status, 403);
    await server.call('POST', `identity/entity/id/${id}`, { body: { disabled: false } });
    assert.deepEqual(new Set(await lives()), new Set([true]));
    await server.call('DELETE', `identity/entity/id/${id}`);
    assert.deepEqual(new Set(await lives()), new Set([false]));
    assert.notEqual(await entityOf('team-off'), id, 'the next one is another');
    assert.deepEqual(new Set(await lives()), new Set([false]));
  });

  test('needs a role that allows it, whoever asks', async () => {
    await tokens.role('no-aliases', {});
    for (const path of ['create', 'create-orphan', 'create/no-aliases']) {
      assert.equal(await tokens.status(path, { entity_alias: 'ada' }), 400, path);
    }
  });

  test('that is refused leaves no entity behind', async () => {
    const count = () => tokens.stored('identity/').length;
    const before = count();
    assert.equal((await make('team-refused', { policies: ['other'] })).status, 400);
    assert.equal((await make('team-refused', { id: 'a.b' })).status, 400);
    assert.equal((await make('team-refused', { type: 'batch', meta: { a: 'x'.repeat(8_000) } })).status, 400);
    assert.equal(count(), before);
  });
});
