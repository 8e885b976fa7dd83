import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TestMount } from './testing/mount.ts';

describe('custom metadata', () => {
  const rows: readonly (readonly [string, string, number])[] = [
    ['64 names', JSON.stringify(Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`k${i}`, 'v']))), 204],
    ['65 names', JSON.stringify(Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, 'v']))), 400],
    ['name of 128 bytes', JSON.stringify({ ['é'.repeat(64)]: 'v' }), 204],
    ['name of 129 bytes', JSON.stringify({ [`${'é'.repeat(64)}k`]: 'v' }), 400],
    ['value of 512 bytes', JSON.stringify({ k: '😀'.repeat(128) }), 204],
    ['value of 513 bytes', JSON.stringify({ k: `${'😀'.repeat(128)}v` }), 400],
    ['empty name', '{"":"v"}', 400],
    ['empty value', '{"k":""}', 400],
    ['line feed', '{"k":"a\\nb"}', 400],
    ['zero width space', '{"k":"a\\u200bb"}', 400],
    ['no-break space', '{"k":"a\\u00a0b"}', 400],
    ['half a surrogate pair', '{"k":"\\ud800"}', 400],
    ['nested', '{"k":{}}', 400],
    ['list', '{"k":["a"]}', 400],
    ['not a map', '"k"', 400],
    ['scalars', '{"n":1.50,"t":true}', 204],
  ];
  for (const [name, map, status] of rows) {
    test(`${name}: ${status}`, async () => {
      const m = new TestMount();
      await m.ask(204, 'write', 'metadata/a', { max_versions: 1 });
      await m.ask(status, 'write', 'metadata/a', `{"custom_metadata":${map}}`);
      await m.ask(204, 'patch', 'metadata/a', { custom_metadata: null });
      await m.ask(status, 'patch', 'metadata/a', `{"custom_metadata":${map}}`);
    });
  }

  test('a null is refused in a write and removes in a patch; place and spelling stay', async () => {
    const m = new TestMount();
    await m.ask(400, 'write', 'metadata/a', { custom_metadata: { k: null } });
    await m.ask(
      204,
      'write',
      'metadata/a',
      '{"custom_metadata":{"z":1.10,"10":"x","__proto__":"p","2":"\\"q\\"","gone":"g"}}',
    );
    await m.ask(204, 'patch', 'metadata/a', '{"custom_metadata":{"new":"n","10":"y","gone":null,"never":null}}');
    const wanted = '"custom_metadata":{"z":"1.10","10":"y","__proto__":"p","2":"\\"q\\"","new":"n"}';
    assert.ok((await m.ask(200, 'read', 'metadata/a')).text.includes(wanted));
    assert.ok((await m.ask(200, 'write', 'data/a', { data: {} })).text.includes(wanted));
    assert.ok((await m.ask(200, 'read', 'subkeys/a')).text.includes(wanted));
  });

  test('a patch may not outgrow the limit that its parts keep', async () => {
    const m = new TestMount();
    const some = (prefix: string) => Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${prefix}${i}`, 'v']));
    await m.ask(204, 'write', 'metadata/a', { custom_metadata: some('a') });
    await m.ask(400, 'patch', 'metadata/a', { custom_metadata: some('b') });
    await m.ask(204, 'patch', 'metadata/a', { custom_metadata: some('a') });
  });
});
