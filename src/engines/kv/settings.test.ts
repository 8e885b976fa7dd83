import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_VERSIONS } from './params.ts';
import { TestMount } from './testing/mount.ts';

describe('versions that are kept', () => {
  for (const [engine, own, kept] of [
    [0, 0, 10],
    [3, 0, 3],
    [0, 2, 2],
    [2, 4, 4],
    [4, 2, 2],
  ] as const) {
    test(`engine ${engine}, secret ${own}: ${kept}`, async () => {
      const m = new TestMount();
      await m.ask(204, 'write', 'config', { max_versions: engine });
      await m.ask(204, 'write', 'metadata/a', { max_versions: own });
      await m.versions(kept);
      assert.match((await m.ask(200, 'read', 'metadata/a')).text, /"oldest_version":0,/);
      await m.versions(1);
      assert.match((await m.ask(200, 'read', 'metadata/a')).text, /"oldest_version":2,/);
      assert.equal(m.dataKeys().length, kept);
      await m.ask(404, 'read', 'data/a', { version: 1 });
      await m.ask(200, 'read', 'data/a', { version: 2 });
    });
  }

  for (const [value, status] of [
    [MAX_VERSIONS, 204],
    [MAX_VERSIONS + 1, 400],
    [-1, 400],
    ['7', 204],
    [MAX_VERSIONS * 1e6, 400],
    [1.5, 400],
  ] as const) {
    test(`max_versions ${value}: ${status}`, async () => {
      const m = new TestMount();
      await m.ask(status, 'write', 'config', { max_versions: value });
      await m.ask(status, 'write', 'metadata/a', { max_versions: value });
    });
  }
});

describe('lifetime', () => {
  const rows = [
    ['0s', '0s', undefined],
    ['1h', '0s', 3_600_000],
    ['0s', '2h', 7_200_000],
    ['1h', '10m', 600_000],
    ['1h', '5h', 3_600_000],
    ['-1s', '1h', undefined],
    ['1500us', '0s', 2],
  ] as const;
  for (const [engine, own, lifetime] of rows) {
    test(`engine ${engine}, secret ${own}: ${lifetime} ms`, async () => {
      const m = new TestMount();
      await m.ask(204, 'write', 'config', { delete_version_after: engine });
      await m.ask(204, 'write', 'metadata/a', { delete_version_after: own });
      const { text } = await m.ask(200, 'write', 'data/a', { data: {} });
      const deletion = lifetime === undefined ? '' : new Date(m.now + lifetime).toISOString();
      assert.ok(text.includes(`"deletion_time":"${deletion}"`), text);
      if (lifetime === undefined) return;
      m.now += lifetime - 1;
      await m.ask(200, 'read', 'data/a');
      m.now += 1;
      await m.ask(404, 'read', 'data/a');
      await m.ask(404, 'patch', 'data/a', { data: {} });
      await m.ask(204, 'write', 'undelete/a', { versions: [1] });
      assert.ok((await m.ask(200, 'read', 'data/a')).text.includes(new Date(m.now + lifetime).toISOString()));
    });
  }

  test('a negative lifetime of a secret is refused', async () => {
    await new TestMount().ask(400, 'write', 'metadata/a', { delete_version_after: '-1s' });
    await new TestMount().ask(400, 'patch', 'metadata/a', { delete_version_after: -1 });
  });

  test('deleting again keeps the first time; deleting what is scheduled brings it forward', async () => {
    const m = new TestMount();
    await m.ask(204, 'write', 'config', { delete_version_after: '1h' });
    await m.versions(2);
    m.now += 1000;
    const first = new Date(m.now).toISOString();
    await m.ask(204, 'write', 'delete/a', { versions: '1,2,2,9,0,-4' });
    m.now += 1000;
    await m.ask(204, 'write', 'delete/a', { versions: [1] });
    await m.ask(204, 'remove', 'data/a');
    for (const version of [1, 2]) assert.ok((await m.ask(404, 'read', 'data/a', { version })).text.includes(first));
  });
});
