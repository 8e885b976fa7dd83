// Known attacks A5, A6, B1–B3, B5: what somebody is called, or is put into, gives no more than its owner granted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at, startTarget } from './support.ts';

const target = await startTarget();

/** Users of a fresh mount, each with this password. */
const PASSWORD = 'correct-horse';

interface Method {
  readonly path: string;
  readonly accessor: string;
}

let made = 0;
const unique = (kind: string): string => `${kind}-${made++}`;

async function method(...users: readonly string[]): Promise<Method> {
  const path = unique('people');
  await target.expect(204, 'POST', `sys/auth/${path}`, { body: { type: 'userpass' } });
  for (const user of users) await addUser(path, user);
  const { json } = await target.send('GET', 'sys/auth');
  return { path, accessor: String(at(json, 'data', `${path}/`, 'accessor')) };
}

const addUser = (path: string, user: string, terms: object = {}) =>
  target.expect(204, 'POST', `auth/${path}/users/${user}`, { body: { password: PASSWORD, ...terms } });

async function login(path: string, user: string): Promise<{ readonly token: string; readonly entityId: string }> {
  const body = { password: PASSWORD };
  const { json } = await target.expect(200, 'POST', `auth/${path}/login/${user}`, { token: undefined, body });
  return { token: String(at(json, 'auth', 'client_token')), entityId: String(at(json, 'auth', 'entity_id')) };
}

async function create(path: string, body: object): Promise<string> {
  return String(at((await target.expect(200, 'POST', `identity/${path}`, { body })).json, 'data', 'id'));
}

async function read(path: string, ...names: readonly string[]): Promise<unknown> {
  return at((await target.expect(200, 'GET', `identity/${path}`)).json, 'data', ...names);
}

const write = (path: string, body: unknown, statuses: number | readonly number[] = 204) =>
  target.expect(statuses, 'POST', `identity/${path}`, { body });

async function policy(text: string): Promise<string> {
  const name = unique('rule');
  await target.expect(204, 'POST', `sys/policies/acl/${name}`, { body: { policy: text } });
  return name;
}

const aliasIn = async (entityId: string, place = 0): Promise<string> =>
  String(await read(`entity/id/${entityId}`, 'aliases', String(place), 'id'));

const status = async (token: string, path: string): Promise<number> =>
  (await target.send('GET', path, { token })).status;

test('B1 root is put on no entity and no group, in no spelling', async () => {
  const [entity, group] = [await create('entity', { name: 'b1' }), await create('group', { name: 'b1' })];
  const external = await create('group', { type: 'external' });
  const spellings = [
    ...['["root"]', '"root"', '[" root"]', '["ROOT"]', '["root\\t"]', '["r\\u006fot"]', '"dev,Root "', '"root,"'],
    ...['["dev","rOOt"]', '"\\u0072oot"', '[" root\\n "]', '["root","root"]', '"\\troot"'],
  ];
  for (const path of [
    ...['entity', 'entity/name/b1', 'entity/name/other', `entity/id/${entity}`],
    ...['group', 'group/name/b1', 'group/name/other', `group/id/${group}`, `group/id/${external}`],
  ]) {
    for (const policies of spellings) await write(path, `{"policies":${policies}}`, 400);
    await target.expect(400, 'POST', `identity/${path}`, {
      body: 'policies=root',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  }
  for (const spelling of ['["ro ot"]', '["roօt"]', '["root\\u200b"]', '["root\\u0000"]', '["ｒoot"]', '["../root"]']) {
    await write('entity', `{"name":"b1","policies":${spelling}}`, 400);
  }
  for (const path of [`entity/id/${entity}`, `group/id/${group}`]) assert.deepEqual(await read(path, 'policies'), []);
  await target.expect(404, 'GET', 'identity/entity/name/other');
  await target.expect(404, 'GET', 'identity/group/name/other');
});

test('B1 a batch of entities takes ids and nothing else', async () => {
  const id = await create('entity', {});
  const hostile = { entity_ids: [`${id}/../x`, '*', '../../core/mounts', ''], policies: ['root'] };
  await write('entity/batch-delete', hostile);
  await write('entity/merge', { to_entity_id: id, from_entity_ids: ['*'], policies: ['root'] }, 400);
  assert.deepEqual(await read(`entity/id/${id}`, 'policies'), []);
});

test('B2 who is merged gets neither policies nor what was let in under an alias that is dropped', async () => {
  const { path, accessor } = await method('eve');
  const rule = await policy(
    `path "secret/data/{{identity.entity.aliases.${accessor}.custom_metadata.team}}/x" { capabilities = ["read"] }`,
  );
  const own = await policy('path "secret/data/own" { capabilities = ["read"] }');
  for (const name of ['secret/data/red/x', 'secret/data/blue/x', 'secret/data/own']) await target.put(name, 'kept');
  await addUser(path, 'ada', { token_policies: [rule] });
  const [ada, eve] = [await login(path, 'ada'), await login(path, 'eve')];
  const [kept, dropped] = [await aliasIn(ada.entityId), await aliasIn(eve.entityId)];
  await write(`entity-alias/id/${kept}`, { custom_metadata: { team: 'red' } }, 200);
  await write(`entity-alias/id/${dropped}`, { custom_metadata: { team: 'blue' } }, 200);
  await write(`entity/id/${eve.entityId}`, { policies: [own] });
  const seen = async (): Promise<readonly number[]> => [
    await status(ada.token, 'secret/data/red/x'),
    await status(ada.token, 'secret/data/blue/x'),
    await status(ada.token, 'secret/data/own'),
  ];
  assert.deepEqual(await seen(), [200, 403, 403]);
  const merge = { from_entity_ids: [eve.entityId], to_entity_id: ada.entityId };
  await write('entity/merge', merge, 400);
  await write('entity/merge', { ...merge, conflicting_alias_ids_to_keep: [kept] });
  assert.deepEqual(await seen(), [200, 403, 403]);
});

test('B2 what is told of an alias is told of none of the same name at another mount', async () => {
  const [one, two] = [await method(), await method('bob')];
  const entity = await create('entity', {});
  const ids = [];
  for (const { accessor } of [one, two]) {
    ids.push(await create('entity-alias', { name: 'bob', mount_accessor: accessor, canonical_id: entity }));
  }
  await write(`entity-alias/id/${ids[0]}`, { custom_metadata: { level: 'high' } }, 200);
  assert.deepEqual(await read(`entity-alias/id/${ids[1]}`, 'custom_metadata'), {});
  const rule = await policy(
    `path "secret/data/{{identity.entity.aliases.${two.accessor}.custom_metadata.level}}" { capabilities = ["read"] }`,
  );
  await write(`entity/id/${entity}`, { policies: [rule] });
  await target.put('secret/data/high', 'kept');
  assert.equal(await status((await login(two.path, 'bob')).token, 'secret/data/high'), 403);
});

test('B3 a group that is left, deleted or changed is lost with the next request, a deleted entity with its tokens', async () => {
  const { path } = await method('cleo');
  const { token, entityId } = await login(path, 'cleo');
  const rule = await policy('path "secret/data/b3" { capabilities = ["read"] }');
  await target.put('secret/data/b3', 'kept');
  const seen = (): Promise<number> => status(token, 'secret/data/b3');
  const inner = await create('group', {});
  const outer = await create('group', { policies: [rule], member_group_ids: [inner] });
  const changes: readonly (readonly [path: string, give: object, take: object])[] = [
    [`group/id/${inner}`, { member_entity_ids: [entityId] }, { member_entity_ids: [] }],
    [`group/id/${outer}`, { policies: [rule] }, { policies: [] }],
    [`group/id/${outer}`, { member_group_ids: [inner] }, { member_group_ids: [] }],
    [`entity/id/${entityId}`, { disabled: false }, { disabled: true }],
  ];
  for (const [place, give] of changes) await write(place, give);
  for (const [place, give, take] of changes) {
    assert.equal(await seen(), 200);
    await write(place, take);
    assert.equal(await seen(), 403, JSON.stringify(take));
    await write(place, give);
  }
  for (const group of [inner, outer]) {
    assert.equal(await seen(), 200);
    await target.expect(204, 'DELETE', `identity/group/id/${group}`);
    assert.equal(await seen(), 403);
    if (group === inner) {
      const again = await create('group', { member_entity_ids: [entityId] });
      await write(`group/id/${outer}`, { member_group_ids: [again] });
    }
  }
  await target.expect(200, 'GET', 'auth/token/lookup-self', { token });
  await target.expect(204, 'DELETE', `identity/entity/id/${entityId}`);
  await target.expect(403, 'GET', 'auth/token/lookup-self', { token });
  assert.notEqual((await login(path, 'cleo')).entityId, entityId);
});

test('B5 an id beside a name is of the same, and no namespace is crossed', async () => {
  const [ada, eve] = [await create('entity', { name: 'b5-ada' }), await create('entity', { name: 'b5-eve' })];
  for (const name of ['b5-eve', 'B5-EVE', 'b5-new']) {
    await write(`entity/name/${name}`, { id: ada, metadata: { taken: '1' } }, 400);
  }
  await write(`entity/id/${eve}`, { id: ada, name: 'b5-ada' }, 400);
  await write('entity', { id: eve, name: 'B5-Ada' }, 400);
  await write('entity/name/b5-eve', { id: eve, name: 'b5-ada', metadata: { k: 'v' } });
  assert.deepEqual(
    [await read(`entity/id/${ada}`, 'name'), await read(`entity/id/${ada}`, 'metadata')],
    ['b5-ada', {}],
  );
  assert.deepEqual(
    [await read(`entity/id/${eve}`, 'name'), await read(`entity/id/${eve}`, 'metadata')],
    ['b5-eve', { k: 'v' }],
  );
  const [ops, dev] = [await create('group', { name: 'b5-ops' }), await create('group', { name: 'b5-dev' })];
  await write('group/name/b5-dev', { id: ops }, 400);
  await write('group', { id: dev, name: 'B5-OPS' }, 400);
  const headers = { 'X-Service-Namespace': 'child' };
  await target.expect(404, 'POST', 'identity/entity/batch-delete', { body: { entity_ids: [ada] }, headers });
  assert.equal(await read(`entity/id/${ada}`, 'name'), 'b5-ada');
});

test('A5 a value that would reach further than one segment makes the rule of no account', async () => {
  const { path } = await method();
  const rule = await policy(`
    path "secret/data/{{identity.entity.metadata.team}}/*" { capabilities = ["read"] }
    path "secret/data/{{identity.entity.name}}" { capabilities = ["read"] }`);
  for (const secret of ['blue/x', 'red/x', 'a/b/x', 'x']) await target.put(`secret/data/${secret}`, 'kept');
  await addUser(path, 'fay', { token_policies: [rule] });
  const { token, entityId } = await login(path, 'fay');
  const seen = (): Promise<readonly number[]> =>
    Promise.all(['blue/x', 'red/x', 'a/b/x', 'x'].map((secret) => status(token, `secret/data/${secret}`)));
  await write(`entity/id/${entityId}`, { metadata: { team: 'blue' } });
  assert.deepEqual(await seen(), [200, 403, 403, 403]);
  for (const team of ['*', '+', 'a/b', 'blue*', 'x,root', '', '..', '{{identity.entity.id}}', 'blue/', '/']) {
    await write(`entity/id/${entityId}`, { metadata: { team } });
    assert.deepEqual(await seen(), [403, 403, 403, 403], team);
  }
  for (const name of ['x,root', '*', '+', 'x*']) {
    await write(`entity/id/${entityId}`, { name });
    assert.deepEqual(await seen(), [403, 403, 403, 403], name);
  }
  await write(`entity/id/${entityId}`, { name: 'x' });
  assert.deepEqual(await seen(), [403, 403, 403, 200]);
});

test('A6 an entity has one alias at a mount, and a template means that of who logged in', async () => {
  const { path, accessor } = await method();
  const rule = await policy(
    `path "secret/data/home/{{identity.entity.aliases.${accessor}.name}}" { capabilities = ["read"] }`,
  );
  for (const user of ['gil', 'hal']) {
    await target.put(`secret/data/home/${user}`, 'kept');
    await addUser(path, user, { token_policies: [rule] });
  }
  const [gil, hal] = [await login(path, 'gil'), await login(path, 'hal')];
  assert.notEqual(gil.entityId, hal.entityId);
  await write('entity-alias', { name: 'other', mount_accessor: accessor, canonical_id: gil.entityId }, 400);
  const seen = async (token: string): Promise<readonly number[]> => [
    await status(token, 'secret/data/home/gil'),
    await status(token, 'secret/data/home/hal'),
  ];
  assert.deepEqual(
    [await seen(gil.token), await seen(hal.token)],
    [
      [200, 403],
      [403, 200],
    ],
  );
  const keep = [await aliasIn(hal.entityId)];
  const merge = { from_entity_ids: [gil.entityId], to_entity_id: hal.entityId, conflicting_alias_ids_to_keep: keep };
  await write('entity/merge', merge);
  assert.deepEqual(await seen(gil.token), [403, 200]);
  const again = await login(path, 'gil');
  assert.notEqual(again.entityId, hal.entityId);
  assert.deepEqual(await seen(again.token), [200, 403]);
});

test('logins at once of somebody new, in any letter case, make one entity', async () => {
  const { path } = await method('ida');
  const all = await Promise.all(['ida', 'Ida', 'IDA'].map((user) => login(path, user)));
  assert.equal(new Set(all.map(({ entityId }) => entityId)).size, 1);
});

test('none of it was a fault of the server', () => {
  assert.deepEqual(
    target.logged.filter((line) => line.startsWith('a request failed')),
    [],
  );
});
