import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_WRITES } from '../../../framework/context.ts';
import type { Verb } from '../../../framework/endpoint.ts';
import { TestMount } from '../testing/mount.ts';

const mounted = (): TestMount => new TestMount(MAX_WRITES, '1');

describe('a secret', () => {
  test('comes back as it went in, to the digit and in order; a write replaces it; a removal removes it', async () => {
    const m = mounted();
    const data = '{"z":12345678901234567890,"10":1, "2":1.10,"__proto__":{"constructor":null},"path":"p","d":1,"d":2}';
    await m.ask(204, 'write', 'a', ` ${data}\n`);
    assert.equal((await m.ask(200, 'read', 'a')).text, data);
    await m.ask(204, 'write', 'a', { y: 2 });
    assert.deepEqual((await m.ask(200, 'read', 'a')).data, { y: 2 });
    await m.ask(204, 'remove', 'a');
    await m.ask(404, 'read', 'a');
    await m.ask(204, 'remove', 'a');
    assert.deepEqual(m.keys(), []);
  });

  test('is one record', async () => {
    const m = mounted();
    for (const path of ['a', 'a', 'a/b']) await m.ask(204, 'write', path, { x: 1 });
    assert.deepEqual(m.keys(), ['m/a', 'm/a/b']);
  });

  for (const body of ['', '{}', ' { } ', 'null', '[]', '"x"', '{"a":}']) {
    test(`${JSON.stringify(body)} is refused as one`, async () => {
      const m = mounted();
      await m.ask(400, 'write', 'a', body);
      assert.deepEqual(m.keys(), []);
    });
  }

  test('at the limit of its size, and beyond', async () => {
    const m = mounted();
    const sized = (bytes: number): string => `{"x":"${'y'.repeat(bytes - 8)}"}`;
    await m.ask(204, 'write', 'a', sized(32 * 1024 * 1024));
    await m.ask(413, 'write', 'a', sized(32 * 1024 * 1024 + 1));
  });

  test('its path is so long at most that version 2 reaches it, too', async () => {
    const m = mounted();
    // The mount is `kv/`, the longest address `kv/metadata/…`.
    const path = `${'s'.repeat(500)}/${'é'.repeat(250)}/`;
    const rest = 1_024 - 'kv/metadata/'.length - Buffer.byteLength(path);
    await m.ask(204, 'write', path + 'x'.repeat(rest), { x: 1 });
    await m.ask(400, 'write', path + 'x'.repeat(rest + 1), { x: 1 });
  });

  test('tells create from update', async () => {
    const m = mounted();
    assert.equal((await m.ask(204, 'write', 'a', { x: 1 })).existed, false);
    assert.equal((await m.ask(204, 'write', 'a', { x: 1 })).existed, true);
    assert.equal((await m.ask(204, 'write', 'a/b', { x: 1 })).existed, false);
    await m.ask(204, 'remove', 'a');
    assert.equal((await m.ask(204, 'write', 'a', { x: 1 })).existed, false);
  });
});

describe('how long it may be kept', () => {
  // The test mount's own lifetime is one second.
  for (const [body, seconds] of [
    ['{"x":1}', 1],
    ['{"ttl":"1h"}', 3_600],
    ['{"ttl":90}', 90],
    ['{"ttl":"90"}', 90],
    ['{"ttl":"1500ms"}', 1],
    ['{"ttl":0}', 0],
    ['{"lease":"2m"}', 120],
    ['{"lease":"2m","ttl":"1m"}', 60],
    ['{"ttl":"soon","lease":"2m"}', 1],
    ['{"ttl":"-1h"}', 1],
    ['{"ttl":true}', 1],
    ['{"ttl":{}}', 1],
    ['{"ttl":"400y"}', 1],
    ['{"ttl":1e300}', 1],
    ['{"ttl":5,"ttl":6}', 6],
    ['{"t\\u0074l":7}', 7],
  ] as const) {
    test(`${body}: ${seconds} s`, async () => {
      const m = mounted();
      await m.ask(204, 'write', 'a', body);
      const { lease, text } = await m.ask(200, 'read', 'a');
      assert.deepEqual([lease, text], [seconds, body]);
    });
  }
});

describe('paths', () => {
  const nowhere: readonly (readonly [Verb, string, number])[] = [
    ['read', '', 404],
    ['read', 'a/', 404],
    ['read', 'b', 404],
    ['write', '', 400],
    ['write', 'a/', 400],
    ['remove', '', 204],
    ['remove', 'a/', 204],
    ['patch', 'a', 405],
    ['patch', '', 405],
    ['list', 'a', 404],
    ['list', 'b/', 404],
    ['scan', 'a', 404],
    ['scan', 'b/', 404],
  ];
  for (const [verb, path, status] of nowhere) {
    test(`${verb} "${path}": ${status}`, async () => {
      const m = mounted();
      await m.ask(204, 'write', 'a', { x: 1 });
      await m.ask(status, verb, path, verb === 'list' || verb === 'scan' ? {} : { x: 2 });
      assert.equal((await m.ask(200, 'read', 'a')).text, '{"x":1}');
      assert.deepEqual(m.keys(), ['m/a']);
    });
  }

  for (const name of [
    '__proto__',
    'constructor',
    'a b',
    "';--",
    '%_\\"',
    'ключ',
    '10',
    'data/a',
    'metadata',
    'config',
  ]) {
    test(`${name} is an ordinary name`, async () => {
      const m = mounted();
      await m.ask(204, 'write', name, { name });
      assert.deepEqual((await m.ask(200, 'read', name)).data, { name });
      assert.deepEqual((await m.ask(200, 'scan', '')).data, { keys: [name] });
      assert.deepEqual((await m.ask(200, 'list', '')).data, { keys: [name.includes('/') ? 'data/' : name] });
    });
  }
});

describe('lists and scans', () => {
  const names = ['a', 'a-', 'a/x', 'a/y/z', 'b', 'f/g/h', '\ufffd', '\u{1f600}'];
  for (const [verb, path, input, keys] of [
    ['list', '', {}, ['a', 'a-', 'a/', 'b', 'f/', '\ufffd', '\u{1f600}']],
    ['list', 'a', {}, ['x', 'y/']],
    ['list', 'a/', { limit: 1 }, ['x']],
    ['list', 'f', {}, ['g/']],
    ['list', '', { after: 'a', limit: '2' }, ['a-', 'a/']],
    ['scan', '', {}, names],
    ['scan', 'a', {}, ['x', 'y/z']],
    ['scan', 'a/', {}, ['x', 'y/z']],
    ['scan', 'f', {}, ['g/h']],
    ['scan', '', { limit: 2 }, ['a', 'a-']],
    ['scan', '', { after: 'a-', limit: 2 }, ['a/x', 'a/y/z']],
    ['scan', '', { after: 'a/x', limit: 2 }, ['a/y/z', 'b']],
    ['scan', '', { after: 'a/y', limit: 1 }, ['a/y/z']],
    ['scan', '', { after: 'a/y/z', limit: -1 }, ['b', 'f/g/h', '\ufffd', '\u{1f600}']],
    ['scan', '', { after: '\u{1f600}' }, undefined],
    ['scan', 'b', {}, undefined],
    ['scan', 'none', {}, undefined],
  ] as const) {
    for (const [version, beginning] of [
      ['1', ''],
      ['2', 'metadata/'],
    ] as const) {
      test(`version ${version}: ${verb} "${path}" ${JSON.stringify(input)}`, async () => {
        const m = new TestMount(MAX_WRITES, version);
        for (const name of names) {
          if (version === '1') await m.ask(204, 'write', name, { x: 1 });
          else await m.ask(200, 'write', `data/${name}`, { data: {} });
        }
        const { status, data } = await m.request(verb, beginning + path, input);
        assert.deepEqual([status, data], keys === undefined ? [404, undefined] : [200, { keys }]);
      });
    }
  }

  for (const verb of ['list', 'scan'] as const) {
    test(`${verb} with a limit that is no number is refused`, async () => {
      const m = mounted();
      await m.ask(204, 'write', 'a', { x: 1 });
      for (const limit of ['x', 1.5, '1e3', 'NaN', {}]) await m.ask(400, verb, '', { limit });
    });
  }
});
