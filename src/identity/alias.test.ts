import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { foldCase } from '../framework/fold-case.ts';
import { at } from '../sys/testing.ts';
import { IdentityServer } from './testing.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';

test('letter case does not count, and no letter becomes one of ASCII', () => {
  for (const [one, other] of [
    ['Ada', 'aDA'],
    ['ÀÉÎ', 'àéî'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['СТРАЖА', 'стража'],
  ] as const) {
    assert.equal(foldCase(one), foldCase(other));
  }
  for (const [one, other] of [
    ['\u212Aim', 'kim'],
    ['\u0130d', 'id'],
    ['\u017Fam', 'sam'],
    ['straße', 'strasse'],
    ['\uFB01x', 'fix'],
    ['ada ', 'ada'],
  ] as const) {
    assert.notEqual(foldCase(one), foldCase(other));
  }
  for (let code = 0x80; code < 0x3000; code += 1) {
    assert.doesNotMatch(foldCase(String.fromCodePoint(code)), /[\0-\x7f]/);
  }
});

describe('identity/entity-alias', async () => {
  const identity = await IdentityServer.open();
  const ask = identity.ask.bind(identity);
  const told = identity.told.bind(identity);
  const made = identity.made.bind(identity);
  const read = identity.read.bind(identity);

  test('reads back whole, on its entity and in the list too', async () => {
    const { path, accessor } = await identity.gate();
    const entity = await made('entity', { name: 'whole' });
    const body = { name: 'Bob', canonical_id: entity, mount_accessor: accessor, custom_metadata: { k: 'v' } };
    const { status, data } = await ask('POST', 'entity-alias', body);
    const id = String(at(data, 'id'));
    assert.deepEqual([status, data], [200, { id, canonical_id: entity }]);
    const alias = await read(`entity-alias/id/${id}`);
    const { creation_time, last_update_time, ...rest } = alias;
    assert.equal(creation_time, last_update_time);
    const at_ = { mount_accessor: accessor, mount_path: `auth/${path}/`, mount_type: 'gate' };
    assert.deepEqual(rest, {
      ...{ id, canonical_id: entity, name: 'Bob', ...at_, metadata: {}, custom_metadata: { k: 'v' } },
      ...{ merged_from_canonical_ids: [], local: false, namespace_id: 'root' },
    });
    assert.deepEqual(at(await read(`entity/id/${entity}`), 'aliases'), [alias]);
    const listed = (await ask('LIST', 'entity-alias/id')).data;
    assert.deepEqual(listed, {
      keys: [id],
      key_info: {
        [id]: { name: 'Bob', canonical_id: entity, ...at_, metadata: {}, custom_metadata: { k: 'v' }, local: false },
      },
    });
    for (const query of [{ alias_id: id }, { alias_name: 'BOB', alias_mount_accessor: accessor }]) {
      assert.equal(at((await ask('POST', 'lookup/entity', query)).data, 'id'), entity);
    }
    assert.equal(await told('DELETE', `entity-alias/id/${id}`), '204');
    assert.equal(await told('GET', `entity-alias/id/${id}`), '404');
    assert.equal(await told('DELETE', `entity-alias/id/${id}`), '204');
    assert.deepEqual(at(await read(`entity/id/${entity}`), 'aliases'), []);
    assert.equal(await told('LIST', 'entity-alias/id'), '404');
  });

  test('the same again is 204, by its id and by what it is of; what is not given stays', async () => {
    const { accessor } = await identity.gate();
    const body = { name: 'erin', mount_accessor: accessor, custom_metadata: { k: 'v' } };
    const { data } = await ask('POST', 'entity-alias', body);
    const id = String(at(data, 'id'));
    const entity = at(data, 'canonical_id');
    for (const same of [body, { ...body, canonical_id: entity }, { name: 'erin', mount_accessor: accessor }, { id }]) {
      assert.equal(await told('POST', 'entity-alias', same), '204', JSON.stringify(same));
    }
    assert.equal(await told('POST', `entity-alias/id/${id}`, {}), '204');
    assert.deepEqual((await ask('POST', `entity-alias/id/${id}`, { name: 'Erin' })).data, { id, canonical_id: entity });
    const changed = await read(`entity-alias/id/${id}`);
    assert.deepEqual([at(changed, 'name'), at(changed, 'custom_metadata')], ['Erin', { k: 'v' }]);
    assert.equal(await told('POST', 'entity-alias', { ...body, custom_metadata: {} }), '200');
    assert.deepEqual(at(await read(`entity-alias/id/${id}`), 'custom_metadata'), {});
  });

  test('it is renamed, moved to another mount and to another entity, and found there alone', async () => {
    const [one, two] = [await identity.gate(), await identity.gate()];
    const [first, second] = [await made('entity'), await made('entity')];
    const id = await made('entity-alias', { name: 'gil', canonical_id: first, mount_accessor: one.accessor });
    const found = async (accessor: string, name: string): Promise<unknown> =>
      at((await ask('POST', 'lookup/entity', { alias_name: name, alias_mount_accessor: accessor })).data, 'id');
    await ask('POST', `entity-alias/id/${id}`, { name: 'gilbert' });
    assert.deepEqual([await found(one.accessor, 'gil'), await found(one.accessor, 'gilbert')], [undefined, first]);
    await ask('POST', `entity-alias/id/${id}`, { mount_accessor: two.accessor });
    assert.deepEqual([await found(one.accessor, 'gilbert'), await found(two.accessor, 'gilbert')], [undefined, first]);
    await ask('POST', `entity-alias/id/${id}`, { entity_id: second });
    assert.equal(await found(two.accessor, 'gilbert'), second);
    assert.deepEqual(at(await read(`entity/id/${first}`), 'aliases'), []);
    assert.equal((await identity.login(two.path, 'GILBERT')).entityId, second);
  });

  test('what is refused', async () => {
    const { accessor } = await identity.gate();
    const { accessor: other } = await identity.gate();
    const entity = await made('entity');
    const id = await made('entity-alias', { name: 'x', canonical_id: entity, mount_accessor: accessor });
    const another = await made('entity-alias', { name: 'y', mount_accessor: accessor });
    const third = await made('entity-alias', { name: 'z', canonical_id: entity, mount_accessor: other });
    for (const [body, expected] of [
      [{ canonical_id: entity, mount_accessor: accessor }, /^400 name: /],
      [{ canonical_id: entity, name: 'x' }, /^400 mount_accessor: /],
      [{ name: 'x', mount_accessor: 'nowhere_00000000' }, /^400 mount_accessor: /],
      [{ name: 'w', canonical_id: NOBODY, mount_accessor: accessor }, /^400 canonical_id: /],
      // A second alias at one mount (A6).
      [{ name: 'second', canonical_id: entity, mount_accessor: accessor }, /^400 mount_accessor: /],
      [{ id: third, mount_accessor: accessor, name: 'zz' }, /^400 mount_accessor: /],
      [{ id: another, canonical_id: entity }, /^400 mount_accessor: /],
      [{ id: another, name: 'X' }, /^400 name: /],
      [{ id: NOBODY, name: 'x' }, /^400 id: /],
      [{ id, mount_accessor: 'nowhere_00000000' }, /^400 mount_accessor: /],
      [{ id, canonical_id: NOBODY }, /^400 canonical_id: /],
      [{ name: 'a'.repeat(1_025), mount_accessor: accessor }, /^400 name: /],
      [{ name: 'a\nb', mount_accessor: accessor }, /^400 name: /],
      [{ name: 'v', mount_accessor: accessor, custom_metadata: { k: 'a\u0000b' } }, /^400 custom_metadata: /],
      [{ name: 'v', mount_accessor: accessor, custom_metadata: { k: 'v'.repeat(513) } }, /^400 custom_metadata, /],
    ] as const) {
      assert.match(await told('POST', 'entity-alias', body), expected, JSON.stringify(body));
    }
    assert.equal(at((await ask('LIST', 'entity-alias/id')).data, 'keys', '0') === undefined, false);
    assert.match(await told('POST', `entity-alias/id/${NOBODY}`, { name: 'x' }), /^400 id: /);
    assert.equal(await told('GET', 'entity-alias/id/x'), '404');
  });

  test('the aliases of a mount that is gone stand without it, and a new mount of the name has others', async () => {
    const { path, accessor } = await identity.gate();
    const { entityId } = await identity.login(path, 'ivy');
    await identity.server.call('DELETE', `sys/auth/${path}`);
    const [alias] = [at(await read(`entity/id/${entityId}`), 'aliases', '0')];
    assert.deepEqual(
      [at(alias, 'name'), at(alias, 'mount_accessor'), at(alias, 'mount_path'), at(alias, 'mount_type')],
      ['ivy', accessor, undefined, undefined],
    );
    await identity.server.call('POST', `sys/auth/${path}`, { body: { type: 'gate' } });
    assert.notEqual((await identity.login(path, 'ivy')).entityId, entityId);
  });
});
