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
    [Array.from({ length: 900 }, (_, i) => i), 204],
    [Array.from({ length: 901 }, (_, i) => i), 400],
    [Array.from({ length: 9_000 }, (_, i) => i % 900), 204],
  ] as const) {
    test(`${JSON.stringify(versions).slice(0, 40)}: ${status}`, async () => {
      for (const path of ['delete/none', 'undelete/none', 'destroy/none'])
        await new TestMount().ask(status, 'write', path, { versions });
    });
  }

  test('destroyed data is removed from the store, and what is destroyed stays so', async () => {
    const m = new TestMount();
    await m.versions(3);
    await m.ask(204, 'write', 'destroy/a', { versions: [1, 3] });
    assert.deepEqual(m.data(), ['a/2']);
    await m.ask(204, 'write', 'undelete/a', { versions: [1, 3] });
    await m.ask(204, 'write', 'delete/a', { versions: [1, 3] });
    const { text } = await m.ask(404, 'read', 'data/a');
    assert.match(text, /^\{"data":null,"metadata":\{.*"deletion_time":"","destroyed":true,.*"version":3\}\}$/);
    await m.ask(200, 'write', 'data/a', { data: {}, options: { cas: 3 } });
  });
});
