import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Verb } from '../../framework/endpoint.ts';
import { ServiceError } from '../../framework/errors.ts';
import { engines } from '../index.ts';
import { kv } from './index.ts';
import { TestMount } from './testing/mount.ts';

describe('variants', () => {
  const of = (...options: readonly (readonly [string, string])[]) => kv.variant(new Map(options));
  const refused = (error: unknown) =>
    error instanceof ServiceError && error.status === 400 && /^options\.(version|filter_lists):/.test(error.message);

  test('the versions have names of their own', () => {
    assert.ok(engines.includes(kv));
    const ofAlias = (name: string) => kv.variant(kv.aliases?.get(name) ?? assert.fail(name));
    assert.equal(ofAlias('kv-v2'), of(['version', '2']));
    assert.equal(ofAlias('kv-v1'), of(['version', '1']));
    assert.equal(ofAlias('generic'), of());
    assert.notEqual(ofAlias('kv-v1'), ofAlias('kv-v2'));
  });

  test('without a version it is 1; options of others are left alone', () => {
    assert.equal(of(), of(['version', '1']));
    assert.equal(of(['version', '']), of());
    assert.equal(of(['version', '2'], ['colour', 'red'], ['filter_lists', 'true']), of(['version', '2']));
  });

  for (const option of [
    ['version', '3'],
    ['version', '02'],
    ['version', 'two'],
    ['filter_lists', 'yes'],
    ['filter_lists', '1'],
  ] as const) {
    test(`${option} is refused`, () => assert.throws(() => of(option), refused));
  }

  for (const [from, to, goes] of [
    [undefined, '1', true],
    [undefined, '2', true],
    ['1', '2', true],
    ['1', undefined, true],
    ['2', '2', true],
    ['2', '1', false],
    ['2', undefined, false],
    ['2', '', false],
  ] as const) {
    test(`from version ${from} to ${to}: ${goes ? 'goes' : 'is refused'}`, () => {
      const options = (version?: string) => new Map(version === undefined ? [] : [['version', version]]);
      const change = () => kv.refuseChange?.(options(from), options(to));
      if (goes) change();
      else assert.throws(change, refused);
    });
  }
});

describe('paths', () => {
  const nowhere: readonly (readonly [Verb, string, number])[] = [
    ['read', 'data/', 404],
    ['read', 'data', 404],
    ['read', 'data/a/', 404],
    ['read', 'metadata/', 404],
    ['read', 'subkeys/', 404],
    ['read', 'other', 404],
    ['write', 'data/', 400],
    ['write', 'data/a/', 400],
    ['write', 'metadata/', 400],
    ['write', 'metadata/a/', 400],
    ['patch', 'data/a/', 404],
    ['patch', 'metadata/a/', 404],
    ['remove', 'data/a/', 204],
    ['remove', 'metadata/a/', 204],
    ['write', 'delete/a/', 204],
    ['list', 'data/', 405],
    ['write', 'subkeys/a', 405],
    ['remove', 'config', 405],
    ['patch', 'config', 405],
  ];
  for (const [verb, path, status] of nowhere) {
    test(`${verb} ${path}: ${status}`, async () => {
      const m = new TestMount();
      await m.ask(200, 'write', 'data/a', { data: {} });
      const before = m.keys();
      await m.ask(
        status,
        verb,
        path,
        verb === 'read' || verb === 'list' ? {} : { data: {}, max_versions: 1, versions: 1 },
      );
      assert.deepEqual(m.keys(), before);
    });
  }

  for (const name of ['__proto__', 'constructor', 'a b', "';--", '%_\\"', 'ключ', '10', 'a/__proto__/b']) {
    test(`${name} is an ordinary name`, async () => {
      const m = new TestMount();
      await m.ask(200, 'write', `data/${name}`, { data: { name } });
      assert.deepEqual(
        (await m.ask(200, 'read', `data/${name}`)).text.startsWith(`{"data":${JSON.stringify({ name })},`),
        true,
      );
      assert.deepEqual((await m.ask(200, 'list', 'metadata')).data, { keys: [name.includes('/') ? 'a/' : name] });
    });
  }
});
