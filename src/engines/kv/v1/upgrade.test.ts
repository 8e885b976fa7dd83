import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { MAX_WRITES } from '../../../framework/context.ts';
import { Model } from '../testing/model.ts';
import { TestMount } from '../testing/mount.ts';
import { compare, PURGE, reads, step } from '../testing/steps.ts';

/** A mount of version 1 with these secrets, tuned to version 2. */
async function upgraded(secrets: Readonly<Record<string, string>>): Promise<TestMount> {
  const m = new TestMount(MAX_WRITES, '1');
  for (const [path, body] of Object.entries(secrets)) await m.ask(204, 'write', path, body);
  m.upgrade();
  return m;
}

const path = fc.constantFrom('a', 'a/b', 'a/1');
const data = fc.dictionary(fc.constantFrom('k', 'l'), fc.constantFrom<unknown>(1, 'x', null, { n: 1 }), {
  minKeys: 1,
  noNullPrototype: true,
});

test('random requests, an upgrade, random requests: version 2 has what was last written, as its first version', async () => {
  let untouched = 0;
  const runs = fc.asyncProperty(
    fc.array(fc.tuple(path, fc.option(data)), { minLength: 1, maxLength: 6 }),
    fc.array(fc.tuple(step, fc.constantFrom(0, 1, 1000)), { minLength: 0, maxLength: 15, size: 'max' }),
    fc.constantFrom(0, 1, 900),
    async (before, after, maxWrites) => {
      const mount = new TestMount(maxWrites, '1');
      const plain = new Map<string, { readonly value: Readonly<Record<string, unknown>>; readonly at: number }>();
      for (const [name, value] of before) {
        mount.now += 5;
        await mount.ask(204, value === null ? 'remove' : 'write', name, value ?? {});
        if (value === null) plain.delete(name);
        else plain.set(name, { value, at: mount.now });
      }
      const keys = mount.keys();
      mount.upgrade();
      const model = new Model();
      for (const [name, { value, at }] of plain) model.write(at, name, value);
      for (const read of reads) await compare(mount, model, read);
      assert.deepEqual(mount.keys(), keys, 'nothing is touched by the upgrade, nor by those who read');
      if (keys.length > 0) untouched += 1;
      for (const [request, pause] of after) {
        if (request === PURGE) await mount.purge();
        else await compare(mount, model, request);
        mount.now += pause;
        for (const read of reads) await compare(mount, model, read);
        if (mount.purges === 0) assert.deepEqual(mount.data(), model.stored());
      }
    },
  );
  await fc.assert(runs, { numRuns: 60 });
  assert.ok(untouched > 20);
});

describe('the first change of a secret after the upgrade', () => {
  const body = '{"b":1.10, "a":12345678901234567890}';
  const shown = (text: string): boolean => text.startsWith(`{"data":${body},"metadata":`);

  test('moves its data, once, and leaves its text as it is', async () => {
    const m = await upgraded({ a: body, 'f/b': body });
    for (const path of ['a', 'f/b']) assert.ok(shown((await m.ask(200, 'read', `data/${path}`)).text));
    assert.deepEqual(m.keys(), ['m/a', 'm/f/b']);
    await m.ask(204, 'write', 'metadata/a', { custom_metadata: { x: '1' } });
    assert.deepEqual([m.data(), m.dataKeys().length], [['a/1', 'f/b/1'], 1]);
    await m.ask(200, 'write', 'data/a', { data: {}, options: { cas: 1 } });
    assert.ok(shown((await m.ask(200, 'read', 'data/a', { version: 1 })).text));
    assert.deepEqual(m.data(), ['a/1', 'a/2', 'f/b/1']);
  });

  test('may be any there is, also one that leaves no data to move', async () => {
    for (const [verb, path, input, data] of [
      ['patch', 'data/a', { data: { c: 1 } }, ['a/1', 'a/2']],
      ['remove', 'data/a', {}, ['a/1']],
      ['write', 'delete/a', { versions: [1] }, ['a/1']],
      ['write', 'destroy/a', { versions: [1] }, []],
      ['write', 'delete/a', { versions: [2] }, ['a/1']],
      ['remove', 'metadata/a', {}, []],
      ['patch', 'metadata/a', { max_versions: 3 }, ['a/1']],
    ] as const) {
      const m = await upgraded({ a: body });
      const { status } = await m.request(verb, path, input);
      assert.ok(status === 200 || status === 204, `${verb} ${path}: ${status}`);
      assert.deepEqual(m.data(), data, `${verb} ${path}`);
    }
  });

  test('with one version kept drops the first without moving it', async () => {
    const m = await upgraded({ a: body });
    await m.ask(204, 'write', 'config', { max_versions: 1 });
    await m.ask(200, 'write', 'data/a', { data: {} });
    assert.deepEqual([m.data(), m.dataKeys().length], [['a/2'], 1]);
  });

  test('that is refused changes nothing', async () => {
    const m = await upgraded({ a: body });
    await m.ask(400, 'write', 'data/a', { data: {}, options: { cas: 0 } });
    await m.ask(400, 'patch', 'data/a', { data: {}, options: { cas: 2 } });
    assert.deepEqual(m.keys(), ['m/a']);
  });

  test('is one of 64 at once: each write its own version', async () => {
    const m = await upgraded({ a: body });
    await m.ask(204, 'write', 'config', { max_versions: 100 });
    await Promise.all(Array.from({ length: 64 }, (_, n) => m.ask(200, 'write', 'data/a', { data: { n } })));
    assert.equal(m.data().length, 65);
    assert.ok(shown((await m.ask(200, 'read', 'data/a', { version: 1 })).text));
  });

  test('of the largest there are: the data alone moves, together with a second such it is refused', async () => {
    const sized = (bytes: number): string => `{"x":"${'y'.repeat(bytes - 8)}"}`;
    const largest = 32 * 1024 * 1024;
    const m = await upgraded({ a: sized(largest) });
    const { errors } = await m.ask(413, 'write', 'data/a', `{"data":${sized(largest)}}`);
    assert.match(errors.join(), /change the metadata first/);
    await m.ask(204, 'write', 'metadata/a', { max_versions: 2 });
    await m.ask(200, 'write', 'data/a', `{"data":${sized(largest)}}`);
    assert.deepEqual(m.data(), ['a/1', 'a/2']);
  });
});

test('a secret is removed and made anew before the upgrade: it has nothing of its earlier lives', async () => {
  const m = new TestMount(MAX_WRITES, '1');
  await m.ask(204, 'write', 'a', { old: 1 });
  await m.ask(204, 'remove', 'a');
  m.now += 1000;
  await m.ask(204, 'write', 'a', { new: 1 });
  m.upgrade();
  const { text } = await m.ask(200, 'read', 'metadata/a');
  assert.match(text, /"created_time":"2026-01-01T00:00:01.000Z","current_version":1,/);
  assert.equal((await m.ask(204, 'write', 'metadata/a', {})).existed, true);
});
