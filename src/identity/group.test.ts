import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at } from '../sys/testing.ts';
import { MAX_GROUPS_ABOVE, MAX_MEMBER_CHANGES } from './limits.ts';
import { IdentityServer } from './testing.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';

describe('identity/group', async () => {
  const identity = await IdentityServer.open();
  const ask = identity.ask.bind(identity);
  const told = identity.told.bind(identity);
  const made = identity.made.bind(identity);
  const read = identity.read.bind(identity);
  const list = async (path: string, name: string): Promise<unknown> => at(await read(path), name);

  test('reads back whole, and changes by what is named', async () => {
    const member = await made('entity');
    const body = { name: 'Ops', policies: 'one', metadata: { k: 'v' }, member_entity_ids: [member] };
    const { status, data } = await ask('POST', 'group', body);
    const id = String(at(data, 'id'));
    assert.deepEqual([status, data], [200, { id, name: 'Ops' }]);
    const { creation_time, last_update_time, ...group } = await read(`group/id/${id}`);
    assert.equal(creation_time, last_update_time);
    assert.deepEqual(group, {
      ...{ id, name: 'Ops', type: 'internal', policies: ['one'], metadata: { k: 'v' }, member_entity_ids: [member] },
      ...{ member_group_ids: [], parent_group_ids: [], alias: {}, modify_index: 1, namespace_id: 'root' },
    });
    assert.equal(await list('group/name/OPS', 'id'), id);
    assert.equal(at((await ask('POST', 'lookup/group', { name: 'ops' })).data, 'id'), id);
    assert.equal(await told('POST', `group/id/${id}`, { policies: ['two'] }), '204');
    assert.equal(await told('POST', 'group', { name: 'ops', metadata: {} }), '204');
    assert.equal(await told('POST', 'group', { id, name: 'Dev', type: 'internal' }), '204');
    assert.equal(await told('POST', 'group/name/dev', { member_entity_ids: '' }), '204');
    const changed = await read(`group/id/${id}`);
    assert.deepEqual(
      ['name', 'policies', 'metadata', 'member_entity_ids', 'modify_index'].map((name) => at(changed, name)),
      ['dev', ['two'], {}, [], 5],
    );
    assert.deepEqual((await ask('LIST', 'group/id')).data, {
      keys: [id],
      key_info: { [id]: { name: 'dev', num_parent_groups: 0 } },
    });
    assert.deepEqual(at((await ask('LIST', 'group/name')).data, 'keys'), ['dev']);
    assert.equal(await told('GET', 'group/name/ops'), '404');
    assert.equal(await told('DELETE', 'group/name/DEV'), '204');
    assert.equal(await told('GET', `group/id/${id}`), '404');
    assert.equal(await told('LIST', 'group/name'), '404');
  });

  test('without a name it is called as the family does', async () => {
    assert.match(String(at((await ask('POST', 'group', {})).data, 'name')), /^group_[0-9a-f]{8}$/);
  });

  test('who is a member, directly and through others', async () => {
    const member = await made('entity');
    const inner = await made('group', { member_entity_ids: [member] });
    const middle = await made('group', { member_group_ids: [inner] });
    const outer = await made('group', { member_group_ids: [middle, inner] });
    const entity = await read(`entity/id/${member}`);
    assert.deepEqual(at(entity, 'direct_group_ids'), [inner]);
    assert.deepEqual([at(entity, 'inherited_group_ids')].flat().sort(), [middle, outer].sort());
    assert.deepEqual([await list(`group/id/${inner}`, 'parent_group_ids')].flat().sort(), [middle, outer].sort());
    await ask('POST', `group/id/${outer}`, { member_group_ids: [middle] });
    assert.deepEqual(await list(`group/id/${inner}`, 'parent_group_ids'), [middle]);
    assert.equal(await told('DELETE', `group/id/${middle}`), '204');
    assert.deepEqual(await list(`group/id/${inner}`, 'parent_group_ids'), []);
    assert.deepEqual(await list(`group/id/${outer}`, 'member_group_ids'), []);
    assert.deepEqual(await list(`entity/id/${member}`, 'group_ids'), [inner]);
    await ask('DELETE', `entity/id/${member}`);
    assert.deepEqual(await list(`group/id/${inner}`, 'member_entity_ids'), []);
  });

  test('what is refused', async () => {
    const id = await made('group', { name: 'here' });
    const external = await made('group', { type: 'external', name: 'outside' });
    const entity = await made('entity');
    for (const [path, body, expected] of [
      ['group', { type: 'other' }, /^400 type: /],
      ['group', { name: 'a/b' }, /^400 name: /],
      ['group', { metadata: { 'a b': 'v' } }, /^400 metadata, a name: /],
      [`group/id/${id}`, { type: 'external' }, /^400 type: /],
      [`group/id/${id}`, { name: 'OUTSIDE' }, /^400 name: /],
      [`group/id/${external}`, { member_entity_ids: [entity] }, /^400 member_entity_ids: /],
      [`group/id/${external}`, { member_group_ids: [id] }, /^400 member_group_ids: /],
      [`group/id/${NOBODY}`, {}, /^400 id: /],
      [`group/id/${id}`, { member_entity_ids: [entity, NOBODY] }, /^400 member_entity_ids: /],
      [`group/id/${id}`, { member_entity_ids: ['../x'] }, /^400 member_entity_ids: /],
      [`group/id/${id}`, { member_group_ids: [NOBODY] }, /^400 member_group_ids: /],
      [`group/id/${id}`, { member_group_ids: [id] }, /^400 member_group_ids: /],
    ] as const) {
      assert.match(await told('POST', path, body), expected, `${path} ${JSON.stringify(body)}`);
    }
    assert.deepEqual(await list(`group/id/${id}`, 'member_entity_ids'), []);
    assert.equal(await told('POST', `group/id/${external}`, { member_entity_ids: [], type: '' }), '204');
  });

  test('no circle of groups, however long', async () => {
    const chain = [await made('group')];
    for (let i = 0; i < 5; i += 1) chain.push(await made('group', { member_group_ids: [chain[i]] }));
    for (const outer of chain.slice(1)) {
      assert.match(await told('POST', `group/id/${chain[0]}`, { member_group_ids: [outer] }), /^400 .*circle/);
    }
    assert.equal(await told('POST', `group/id/${chain[5]}`, { member_group_ids: [chain[0], chain[4]] }), '204');
  });

  test('the groups above one are bounded', async () => {
    const parents: string[] = [];
    const child = await made('group');
    for (let i = 0; i < MAX_GROUPS_ABOVE; i += 1) parents.push(await made('group', { member_group_ids: [child] }));
    assert.match(
      await told('POST', `group/id/${child}`, { member_group_ids: [await made('group')] }),
      /^400 .*at most/,
    );
    await ask('DELETE', `group/id/${parents[0]}`);
    assert.equal(await told('POST', `group/id/${child}`, { member_group_ids: [await made('group')] }), '204');
  });

  test('one write changes so many members, and no more', async () => {
    const ids: string[] = [];
    for (let i = 0; i < MAX_MEMBER_CHANGES + 1; i += 1) ids.push(await made('entity'));
    const group = await made('group');
    assert.match(await told('POST', `group/id/${group}`, { member_entity_ids: ids }), /^400 member_entity_ids: /);
    const most = ids.slice(1).sort();
    assert.equal(await told('POST', `group/id/${group}`, { member_entity_ids: most }), '204');
    assert.deepEqual(await list(`group/id/${group}`, 'member_entity_ids'), most);
    assert.equal(await told('POST', `group/id/${group}`, { member_entity_ids: ids }), '204');
    assert.equal(await told('POST', `group/id/${group}`, { member_entity_ids: ids.slice(0, 1) }), '204');
    assert.deepEqual(await list(`group/id/${group}`, 'member_entity_ids'), ids.slice(0, 1));
  });
});

describe('identity/group-alias', async () => {
  const identity = await IdentityServer.open();
  const ask = identity.ask.bind(identity);
  const told = identity.told.bind(identity);
  const made = identity.made.bind(identity);
  const read = identity.read.bind(identity);

  test('reads back, on its group too; changes; goes', async () => {
    const { path, accessor } = await identity.gate();
    const group = await made('group', { type: 'external', name: 'admins' });
    const body = { name: 'Admins', mount_accessor: accessor, canonical_id: group };
    const { status, data } = await ask('POST', 'group-alias', body);
    const id = String(at(data, 'id'));
    assert.deepEqual([status, data], [200, { id, canonical_id: group }]);
    const alias = await read(`group-alias/id/${id}`);
    assert.deepEqual(
      ['id', 'canonical_id', 'name', 'mount_accessor', 'mount_path', 'mount_type'].map((name) => at(alias, name)),
      [id, group, 'Admins', accessor, `auth/${path}/`, 'gate'],
    );
    assert.deepEqual(at(await read(`group/id/${group}`), 'alias'), alias);
    assert.equal(at((await ask('LIST', 'group-alias/id')).data, 'key_info', id, 'name'), 'Admins');
    assert.equal(at((await ask('LIST', 'group/id')).data, 'key_info', group, 'alias', 'id'), id);
    for (const query of [{ alias_id: id }, { alias_name: 'admins', alias_mount_accessor: accessor }]) {
      assert.equal(at((await ask('POST', 'lookup/group', query)).data, 'id'), group);
    }
    assert.equal(await told('POST', `group-alias/id/${id}`, body), '204');
    assert.deepEqual((await ask('POST', `group-alias/id/${id}`, { name: 'owners' })).data, { id, canonical_id: group });
    const other = await made('group', { type: 'external' });
    assert.equal(await told('POST', `group-alias/id/${id}`, { canonical_id: other }), '200');
    assert.deepEqual(at(await read(`group/id/${group}`), 'alias'), {});
    assert.equal(at(await read(`group/id/${other}`), 'alias', 'name'), 'owners');
    assert.equal(await told('DELETE', `group-alias/id/${id}`), '204');
    assert.equal(await told('GET', `group-alias/id/${id}`), '404');
    assert.equal(await told('DELETE', `group-alias/id/${id}`), '204');
    const next = await made('group-alias', { name: 'owners', mount_accessor: accessor, canonical_id: other });
    assert.equal(await told('DELETE', `group/id/${other}`), '204');
    assert.equal(await told('GET', `group-alias/id/${next}`), '404');
  });

  test('without canonical_id an external group is made', async () => {
    const { accessor } = await identity.gate();
    const { data } = await ask('POST', 'group-alias', { name: 'x', mount_accessor: accessor });
    assert.equal(at(await read(`group/id/${at(data, 'canonical_id')}`), 'type'), 'external');
  });

  test('what is refused', async () => {
    const { accessor } = await identity.gate();
    const [group, other] = [await made('group', { type: 'external' }), await made('group', { type: 'external' })];
    const id = await made('group-alias', { name: 'x', mount_accessor: accessor, canonical_id: group });
    for (const [body, expected] of [
      [{ name: 'y', mount_accessor: accessor, canonical_id: await made('group') }, /^400 canonical_id: /],
      [{ mount_accessor: accessor, canonical_id: other }, /^400 name: /],
      [{ name: 'y', canonical_id: other }, /^400 mount_accessor: /],
      [{ name: 'y', mount_accessor: 'nowhere_00000000', canonical_id: other }, /^400 mount_accessor: /],
      [{ name: 'y', mount_accessor: accessor, canonical_id: NOBODY }, /^400 canonical_id: /],
      [{ name: 'X', mount_accessor: accessor, canonical_id: other }, /^400 name: /],
      [{ name: 'y', mount_accessor: accessor, canonical_id: group }, /^400 canonical_id: .* already/],
      [{ id: NOBODY, name: 'y' }, /^400 id: /],
      [{ id, mount_accessor: 'nowhere_00000000' }, /^400 mount_accessor: /],
    ] as const) {
      assert.match(await told('POST', 'group-alias', body), expected, JSON.stringify(body));
    }
    assert.equal(await told('GET', 'group-alias/id/x'), '404');
  });
});
