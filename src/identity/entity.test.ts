import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../sys/testing.ts';
import { IdentityServer } from './testing.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';

describe('identity/entity', async () => {
  const identity = await IdentityServer.open();
  const { ask, told, made, read } = {
    ask: identity.ask.bind(identity),
    told: identity.told.bind(identity),
    made: identity.made.bind(identity),
    read: identity.read.bind(identity),
  };

  test('reads back whole, by id and by name in any letter case', async () => {
    const body = { name: 'Ada', metadata: { team: 'ops', n: 7 }, policies: ['Two', ' one ', 'two'] };
    const { status, data } = await ask('POST', 'entity', body);
    assert.equal(status, 200);
    const id = at(data, 'id');
    assert.deepEqual(data, { id, name: 'Ada', aliases: [] });
    const { creation_time, last_update_time, ...entity } = await read(`entity/id/${id}`);
    assert.match(String(creation_time), /^\d{4}-\d\d-\d\dT.*Z$/);
    assert.equal(last_update_time, creation_time);
    assert.deepEqual(entity, {
      ...{ id, name: 'Ada', metadata: { team: 'ops', n: '7' }, policies: ['one', 'two'], disabled: false, aliases: [] },
      ...{ direct_group_ids: [], inherited_group_ids: [], group_ids: [], merged_entity_ids: [], namespace_id: 'root' },
    });
    for (const [method, path, query] of [
      ['GET', 'entity/name/ADA', undefined],
      ['POST', 'lookup/entity', { name: 'aDa' }],
      ['POST', 'lookup/entity', { id }],
    ] as const) {
      assert.equal(at((await ask(method, path, query)).data, 'id'), id, path);
    }
  });

  test('without a name it is called as the family does', async () => {
    for (const body of [{}, { name: '' }, { name: null }]) {
      const { data } = await ask('POST', 'entity', body);
      assert.match(String(at(data, 'name')), /^entity_[0-9a-f]{8}$/);
    }
  });

  test('a write changes what it names, by id, by name and by either in the body', async () => {
    const id = await made('entity', { name: 'eve', metadata: { a: '1' }, policies: ['p'] });
    const now = async (): Promise<unknown> => {
      const { name, metadata, policies, disabled } = await read(`entity/id/${id}`);
      return [name, metadata, policies, disabled];
    };
    assert.equal(await told('POST', 'entity', { name: 'EVE', metadata: { b: '2' } }), '204');
    assert.deepEqual(await now(), ['EVE', { b: '2' }, ['p'], false]);
    assert.equal(await told('POST', 'entity/name/eve', { policies: 'q,r' }), '204');
    assert.equal(await told('POST', `entity/id/${id}`, { disabled: true }), '204');
    assert.deepEqual(await now(), ['eve', { b: '2' }, ['q', 'r'], true]);
    assert.equal(await told('POST', 'entity', { id, name: 'Eva', policies: [], metadata: {} }), '204');
    assert.deepEqual(await now(), ['Eva', {}, [], true]);
    assert.equal(await told('GET', 'entity/name/eve'), '404');
    assert.equal(await told('POST', 'entity/name/eve', {}), '200');
    assert.equal(await told('POST', `entity/id/${id}`, { name: 'EVA' }), '204');
    assert.equal(at(await read('entity/name/eva'), 'id'), id);
  });

  test('metadata as the command line sends it', async () => {
    const id = await made('entity', { metadata: 'team=a,b=c' });
    assert.deepEqual(at(await read(`entity/id/${id}`), 'metadata'), { team: 'a,b=c' });
    await ask('POST', `entity/id/${id}`, { metadata: ['one=1', 'two='] });
    assert.deepEqual(at(await read(`entity/id/${id}`), 'metadata'), { one: '1', two: '' });
  });

  const pairs = (n: number): object => Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, 'v']));
  for (const [what, body, expected] of [
    ['64 pairs', { metadata: pairs(64) }, 200],
    ['65 pairs', { metadata: pairs(65) }, 400],
    ['a key of 128 bytes', { metadata: { ['k'.repeat(128)]: '' } }, 200],
    ['a key of 129 bytes', { metadata: { ['k'.repeat(129)]: '' } }, 400],
    ['an empty key', { metadata: { '': 'v' } }, 400],
    ['a key with a blank', { metadata: { 'a b': 'v' } }, 400],
    ['odd names of keys', { metadata: { __proto__: 'v', constructor: 'v' } }, 200],
    ['a value of 512 bytes', { metadata: { k: 'é'.repeat(256) } }, 200],
    ['a value of 513 bytes', { metadata: { k: `${'é'.repeat(256)}x` } }, 400],
    ['a nested value', { metadata: { k: {} } }, 400],
    ['metadata without a name', { metadata: 'team' }, 400],
    ['metadata that is a number', { metadata: 7 }, 400],
    ['a name of 512 bytes', { name: 'é'.repeat(256) }, 200],
    ['a name of 513 bytes', { name: 'x'.repeat(513) }, 400],
    ['a name with a slash', { name: 'a/b' }, 400],
    ['a name with a blank inside, and commas', { name: 'x,root y' }, 200],
    ['a name with a blank behind', { name: 'x ' }, 400],
    ['the name ..', { name: '..' }, 400],
    ['a name with a control character', { name: 'a\u0000b' }, 400],
    ['a name with a backslash', { name: 'CORP\\ada' }, 200],
    ['a policy that is none', { policies: ['../x'] }, 400],
    ['disabled that is no boolean', { disabled: 'yes' }, 400],
    ['an id that there is not', { id: NOBODY }, 400],
    ['an id that is none', { id: '../x' }, 400],
  ] as const) {
    test(`${what}: ${expected}`, async () => assert.match(await told('POST', 'entity', body), RegExp(`^${expected}`)));
  }

  test('a name is of one entity, in any letter case', async () => {
    await made('entity', { name: 'Taken' });
    const other = await made('entity');
    for (const body of [{ name: 'taken' }, { id: other, name: 'TAKEN' }]) {
      const path = 'id' in body ? 'entity' : `entity/id/${other}`;
      assert.equal(await told('POST', path, body), '400 name: another entity has this name');
    }
  });

  test('what is not there: read 404, write 400, delete 204', async () => {
    for (const id of [NOBODY, 'x', 'A0000000-0000-4000-8000-000000000000']) {
      assert.equal(await told('GET', `entity/id/${id}`), '404');
      assert.match(await told('POST', `entity/id/${id}`, {}), /^400 id: /);
      assert.equal(await told('DELETE', `entity/id/${id}`), '204');
    }
    assert.equal(await told('GET', 'entity/name/nobody'), '404');
    assert.equal(await told('DELETE', 'entity/name/nobody'), '204');
    assert.equal(await told('POST', 'lookup/entity', { name: 'nobody' }), '204');
  });

  test('deleting by id and by name frees the name', async () => {
    for (const path of [`entity/id/${await made('entity', { name: 'gone' })}`, 'entity/name/GONE']) {
      assert.equal(await told('DELETE', path), '204');
      assert.equal(await told('GET', 'entity/name/gone'), '404');
      await made('entity', { name: 'gone' });
    }
  });

  test('batch-delete takes what there is, more than one transaction holds too', async () => {
    const kept = await made('entity');
    const ids: string[] = [];
    for (let i = 0; i < 450; i += 1) ids.push(await made('entity'));
    assert.equal(await told('POST', 'entity/batch-delete', { entity_ids: [...ids, NOBODY, 'x', ids[0]] }), '204');
    const left = at((await ask('LIST', 'entity/id')).data, 'keys');
    assert.ok(Array.isArray(left) && left.includes(kept) && !ids.some((id) => left.includes(id)));
    for (const body of [{}, { entity_ids: [] }, { entity_ids: Array.from({ length: 10_001 }, (_, i) => `${i}`) }]) {
      assert.match(await told('POST', 'entity/batch-delete', body), /^400 entity_ids: /);
    }
  });

  for (const kind of ['entity', 'group'] as const) {
    test(`looking up ${kind}: one way, and the whole of it`, async () => {
      for (const query of [
        {},
        { id: NOBODY, name: 'x' },
        { name: 'x', alias_id: NOBODY },
        { alias_name: 'x' },
        { alias_mount_accessor: 'x' },
        { id: NOBODY, alias_name: 'x', alias_mount_accessor: 'y' },
      ]) {
        assert.match(await told('POST', `lookup/${kind}`, query), /^400 /, JSON.stringify(query));
      }
      for (const query of [{ id: 'x' }, { alias_id: 'x' }, { alias_name: 'x', alias_mount_accessor: 'y' }]) {
        assert.equal(await told('POST', `lookup/${kind}`, query), '204');
      }
    });
  }
});

test('lists: ids with key_info, names in lower case; pages; nothing is 404; long ones in pieces', async () => {
  const identity = await IdentityServer.open();
  assert.equal(await identity.told('LIST', 'entity/id'), '404');
  const names = Array.from({ length: 520 }, (_, i) => `Name-${String(i).padStart(3, '0')}`);
  const ids = new Map<string, string>();
  for (const name of names) ids.set(await identity.made('entity', { name }), name);
  const sorted = [...ids.keys()].sort();
  const listed = async (path: string): Promise<unknown> => (await identity.ask('LIST', path)).data;
  const all = await listed('entity/id');
  assert.deepEqual(at(all, 'keys'), sorted);
  const info = Object.fromEntries(sorted.map((id) => [id, { name: ids.get(id), aliases: [] }]));
  assert.deepEqual(at(all, 'key_info'), info);
  const some = await listed(`entity/id?limit=300&after=${sorted[9]}`);
  assert.deepEqual(at(some, 'keys'), sorted.slice(10, 310));
  assert.deepEqual(Object.keys(Object(at(some, 'key_info'))), sorted.slice(10, 310));
  assert.deepEqual(
    at(await listed('entity/name'), 'keys'),
    names.map((name) => name.toLowerCase()),
  );
});
