import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TestMount } from '../testing/mount.ts';

describe('data', () => {
  test('comes back as it went in: spaces, digits, order, odd names, duplicates', async () => {
    const m = new TestMount();
    const data =
      '{ "z":12345678901234567890,"10":1, "2":1.10,"__proto__":{"constructor":null},"":"\\u0000\\ud800","d":1,"d":2,"t":-0,"e":1e3}';
    await m.ask(200, 'write', 'data/a', `{"data":${data}}`);
    const { text } = await m.ask(200, 'read', 'data/a');
    assert.ok(text.startsWith(`{"data":${data},"metadata":{`), text);
    await m.ask(200, 'patch', 'data/a', '{"data":{"2":null}}');
    assert.ok((await m.ask(200, 'read', 'data/a')).text.includes('"z":12345678901234567890'));
  });

  for (const body of [
    '{}',
    '{"data":null}',
    '{"data":[]}',
    '{"data":"x"}',
    '{"data":{},"options":"cas=0"}',
    '{"data":{},"options":[]}',
  ]) {
    test(`${body} is refused for a write and a patch`, async () => {
      const m = new TestMount();
      await m.versions(1);
      await m.ask(400, 'write', 'data/a', body);
      await m.ask(400, 'patch', 'data/a', body);
      assert.deepEqual(m.data(), ['a/1']);
    });
  }

  for (const [version, status] of [
    [0, 200],
    ['', 200],
    ['1', 200],
    [2, 200],
    [3, 404],
    [-1, 400],
    ['x', 400],
    ['1.5', 400],
  ] as const) {
    test(`version=${version}: ${status}`, async () => {
      const m = new TestMount();
      await m.versions(2);
      await m.ask(status, 'read', 'data/a', { version });
      await m.ask(status, 'read', 'subkeys/a', { version });
    });
  }

  test('a merge that outgrows a request is 413, one that just fits is taken', async () => {
    const m = new TestMount();
    const half = 'x'.repeat(16 * 1024 * 1024 - 7);
    // {"a":"…","b":"…"}: 15 bytes around the two texts.
    await m.ask(200, 'write', 'data/a', { data: { a: half } });
    await m.ask(413, 'patch', 'data/a', { data: { b: half } });
    await m.ask(200, 'patch', 'data/a', { data: { b: half.slice(1) } });
  });

  test('exists: told from the metadata record', async () => {
    const m = new TestMount();
    assert.equal((await m.ask(200, 'write', 'data/a', { data: {} })).existed, false);
    await m.ask(204, 'remove', 'data/a');
    assert.equal((await m.ask(200, 'write', 'data/a', { data: {} })).existed, true);
    assert.equal((await m.ask(204, 'write', 'metadata/b', { max_versions: 1 })).existed, false);
    assert.equal((await m.ask(200, 'write', 'data/b', { data: {} })).existed, true);
    await m.ask(204, 'remove', 'metadata/a');
    assert.equal((await m.ask(200, 'write', 'data/a', { data: {} })).existed, false);
  });
});
