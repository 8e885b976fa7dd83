import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TestMount } from './testing/mount.ts';

describe('versions of a request', () => {
  for (const [versions, status] of [
    [[1], 204],
    [['1'], 204],
    [1, 204],
    ['1,2', 204],
    [[], 400],
    ['', 400],
    [['one'], 400],
    [null, 400],
    [[1.5], 400],
    [[null], 400],
  ] as const) {
    test(`${JSON.stringify(versions)}: ${status}`, async () => {
      for (const path of ['delete/none', 'undelete/none', 'destroy/none'])
        await new TestMount().ask(status, 'write', path, { versions });
    });
  }

  test('destroyed data is removed from the store, and what is destroyed stays so', async () => {
    const m = new TestMount();
    await m.versions(3);
    await m.ask(204, 'write', 'destroy/a', { versions: [1, 3] });
    assert.deepEqual(m.dataKeys(), ['d/a/2']);
    await m.ask(204, 'write', 'undelete/a', { versions: [1, 3] });
    await m.ask(204, 'write', 'delete/a', { versions: [1, 3] });
    const { text } = await m.ask(404, 'read', 'data/a');
    assert.match(text, /^\{"data":null,"metadata":\{.*"deletion_time":"","destroyed":true,.*"version":3\}\}$/);
    await m.ask(200, 'write', 'data/a', { data: {}, options: { cas: 3 } });
  });
});
