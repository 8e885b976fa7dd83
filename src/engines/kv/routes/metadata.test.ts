import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TestMount } from '../testing/mount.ts';

describe('metadata', () => {
  test('what is not given stays; null resets in a patch; nothing given changes nothing', async () => {
    const m = new TestMount();
    await m.ask(204, 'write', 'metadata/none', { colour: 'red' });
    await m.ask(404, 'patch', 'metadata/none', {});
    const settings = { max_versions: 3, cas_required: true, delete_version_after: '90m', custom_metadata: { k: 'v' } };
    await m.ask(204, 'write', 'metadata/a', settings);
    const written = (await m.ask(200, 'read', 'metadata/a')).text;
    m.now += 5;
    await m.ask(204, 'write', 'metadata/a', {});
    await m.ask(204, 'patch', 'metadata/a', {});
    assert.equal((await m.ask(200, 'read', 'metadata/a')).text, written);
    await m.ask(204, 'patch', 'metadata/a', { max_versions: 4 });
    assert.match(
      (await m.ask(200, 'read', 'metadata/a')).text,
      /^\{"cas_required":true,"delete_version_after":"1h30m0s","max_versions":4,.*"k":"v".*\.005Z"/,
    );
    await m.ask(204, 'patch', 'metadata/a', {
      max_versions: null,
      cas_required: null,
      delete_version_after: null,
      custom_metadata: null,
    });
    assert.match(
      (await m.ask(200, 'read', 'metadata/a')).text,
      /^\{"cas_required":false,"delete_version_after":"0s","max_versions":0,.*"custom_metadata":null/,
    );
    assert.deepEqual(m.dataKeys(), []);
  });

  for (const [engine, given, warned] of [
    [true, false, true],
    [true, null, true],
    [true, true, false],
    [false, false, false],
  ] as const) {
    test(`cas_required ${given} under an engine with ${engine}: ${warned ? 'a warning' : 'none'}`, async () => {
      const m = new TestMount();
      await m.ask(204, 'write', 'config', { cas_required: engine });
      await m.ask(204, 'write', 'metadata/a', { max_versions: 1 });
      const { warnings } = await m.ask(warned ? 200 : 204, 'patch', 'metadata/a', { cas_required: given });
      assert.equal(warnings.length, warned ? 1 : 0);
    });
  }
});

describe('list', () => {
  test('children of a folder, paged; a leaf, a folder that is not there and an empty mount are 404', async () => {
    const m = new TestMount();
    await m.ask(404, 'list', 'metadata/');
    for (const path of ['b', 'a', 'a/x', 'a/y/z', 'c/d', 'B', '10', '9'])
      await m.ask(200, 'write', `data/${path}`, { data: {} });
    const keys = async (path: string, query = {}) => (await m.ask(200, 'list', path, query)).data;
    assert.deepEqual(await keys('metadata'), { keys: ['10', '9', 'B', 'a', 'a/', 'b', 'c/'] });
    assert.deepEqual(await keys('metadata/', { after: 'a', limit: 2 }), { keys: ['a/', 'b'] });
    assert.deepEqual(await keys('metadata/', { after: 'c', limit: -1 }), { keys: ['c/'] });
    assert.deepEqual(await keys('metadata/a'), { keys: ['x', 'y/'] });
    assert.deepEqual(await keys('metadata/a/y/'), { keys: ['z'] });
    for (const path of ['metadata/b', 'metadata/none', 'metadata/a/x']) await m.ask(404, 'list', path);
    await m.ask(404, 'list', 'metadata', { after: 'zzz' });
    await m.ask(400, 'list', 'metadata', { limit: 'two' });
  });
});
