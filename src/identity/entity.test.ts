import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, TestServer } from '../sys/testing.ts';

describe('identity/entity', async () => {
  const server = await TestServer.open();
  const call = async (method: string, path: string, body?: unknown): Promise<{ status: number; data: unknown }> => {
    const { status, json } = await server.call(method, `identity/${path}`, { body });
    return { status, data: at(json, 'data') };
  };

  test('reads back whole, by id and by name in any letter case', async () => {
    const body = { name: 'Ada', metadata: { team: 'ops', n: 7 }, policies: ['Two', ' one ', 'two'] };
    const { status, data } = await call('POST', 'entity', body);
    assert.equal(status, 200);
    const id = at(data, 'id');
    assert.deepEqual(data, { id, name: 'Ada', aliases: [] });
    const read = await call('GET', `entity/id/${id}`);
    const times = { creation_time: at(read.data, 'creation_time'), last_update_time: at(read.data, 'creation_time') };
    assert.match(String(times.creation_time), /^\d{4}-\d\d-\d\dT.*Z$/);
    assert.deepEqual(read.data, {
      ...{ id, name: 'Ada', metadata: { team: 'ops', n: '7' }, policies: ['one', 'two'], disabled: false, aliases: [] },
      ...{ direct_group_ids: [], inherited_group_ids: [], group_ids: [], merged_entity_ids: [], namespace_id: 'root' },
      ...times,
    });
    assert.deepEqual(await call('GET', 'entity/name/ADA'), read);
    assert.deepEqual((await call('POST', 'lookup/entity', { name: 'aDa' })).data, read.data);
  });
});
