import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Verb } from '../../framework/endpoint.ts';
import { ServiceError } from '../../framework/errors.ts';
import { engines } from '../index.ts';
import { kv } from './index.ts';
import { TestMount } from './testing/mount.ts';

describe('variants', () => {
  test('version 2 serves; kv-v2 stands for it', () => {
    assert.ok(engines.includes(kv));
    assert.deepEqual(kv.aliases?.get('kv-v2'), new Map([['version', '2']]));
    assert.equal(
      kv.variant(
        new Map([
          ['version', '2'],
          ['colour', 'red'],
        ]),
      ),
      kv.variant(new Map([['version', '2']])),
    );
  });

  for (const options of [[], [['version', '']], [['version', '1']], [['version', '3']], [['version', '02']]] as const) {
    test(`${JSON.stringify(options)} is refused`, () => {
      const refused = (error: unknown) =>
        error instanceof ServiceError && error.status === 400 && /options\.version/.test(error.message);
      assert.throws(() => kv.variant(new Map(options)), refused);
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
