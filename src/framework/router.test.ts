import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { noContent } from './answer.ts';
import type { WriteContext } from './context.ts';
import { type Endpoint, list, patch, read, remove, type Verb, write } from './endpoint.ts';
import { string } from './kinds/index.ts';
import { Router } from './router.ts';

const spec = { summary: 'Test', params: { name: string() } };

/** An endpoint of any verb and path, for tables; the types of its path are not what is tested here. */
function endpoint(verb: Verb, path: string): Endpoint<WriteContext> {
  const made =
    verb === 'list' ? list('', { summary: 'Test', params: {} }, () => ({ keys: [] })) : read('', spec, () => noContent);
  return { ...made, verb, path };
}

/** What a router finds, as text: the path as declared and what it captured; or that it finds nothing. */
function find(router: Router<WriteContext>, verb: Verb, path: string): string {
  const match = router.match(verb, path);
  if (match === undefined || match === 'method') return match ?? 'nothing';
  const captured = [...match.captured].map(([name, text]) => `${name}=${text}`).join('&');
  return `${match.endpoint.path}${captured === '' ? '' : ` ${captured}`}`;
}

const PATHS = [
  'read config',
  'read keys/:name',
  'write keys/:name',
  'list keys',
  'write keys/:name/rotate',
  'write keys/import',
  'write hmac/:name(/:algorithm)',
  'read data/:path',
  'write data/:path',
  'list metadata/:path',
  'read metadata/:path',
  'read mounts',
  'read mounts/:path',
  'read mounts/:path/tune',
  'read mounts/:path/a/tune',
].map((line) => endpoint(verbOf(line), line.slice(line.indexOf(' ') + 1)));

function verbOf(line: string): Verb {
  const verb = (['read', 'list', 'write', 'patch', 'remove'] as const).find((word) => line.startsWith(`${word} `));
  assert.ok(verb);
  return verb;
}

describe('what a path leads to', () => {
  for (const [verb, path, expected] of [
    ['read', 'config', 'config'],
    ['read', 'config/', 'nothing'],
    ['read', '', 'nothing'],
    ['read', 'nope', 'nothing'],
    ['read', 'Config', 'nothing'],
    ['write', 'config', 'method'],
    ['patch', 'keys/a', 'method'],
    // One segment, never an empty one.
    ['read', 'keys/a', 'keys/:name name=a'],
    ['read', 'keys/', 'nothing'],
    ['read', 'keys/a/', 'nothing'],
    ['read', 'keys/a/b', 'nothing'],
    ['read', 'keys', 'method'],
    ['write', 'keys/a/rotate', 'keys/:name/rotate name=a'],
    // A literal goes before a parameter; what it lacks, the parameter may have.
    ['write', 'keys/import', 'keys/import'],
    ['read', 'keys/import', 'keys/:name name=import'],
    ['write', 'keys/import/rotate', 'keys/:name/rotate name=import'],
    // A list is of a folder, with and without its slash.
    ['list', 'keys', 'keys'],
    ['list', 'keys/', 'keys'],
    ['list', 'keys//', 'nothing'],
    ['scan', 'keys', 'method'],
    ['list', 'config', 'method'],
    // Optional parts.
    ['write', 'hmac/a', 'hmac/:name(/:algorithm) name=a'],
    ['write', 'hmac/a/sha2-256', 'hmac/:name(/:algorithm) name=a&algorithm=sha2-256'],
    ['write', 'hmac/a/b/c', 'nothing'],
    // Any number of segments; for all but lists the slash is part of the path.
    ['read', 'data/a', 'data/:path path=a'],
    ['read', 'data/a/b/c', 'data/:path path=a/b/c'],
    ['read', 'data/a/', 'data/:path path=a/'],
    ['read', 'data/', 'data/:path path='],
    ['read', 'data', 'nothing'],
    ['remove', 'data/a', 'method'],
    ['list', 'metadata', 'metadata/:path path='],
    ['list', 'metadata/', 'metadata/:path path='],
    ['list', 'metadata/a', 'metadata/:path path=a'],
    ['list', 'metadata/a/', 'metadata/:path path=a'],
    ['read', 'metadata/a/', 'metadata/:path path=a/'],
    // What may follow any number of segments: the longer ending goes first.
    ['read', 'mounts', 'mounts'],
    ['read', 'mounts/kv', 'mounts/:path path=kv'],
    ['read', 'mounts/kv/x/tune', 'mounts/:path/tune path=kv/x'],
    ['read', 'mounts/kv/a/tune', 'mounts/:path/a/tune path=kv'],
    ['read', 'mounts/tune', 'mounts/:path/tune path='],
    ['write', 'mounts/kv/tune', 'method'],
    // Names that objects have are names.
    ['read', 'keys/__proto__', 'keys/:name name=__proto__'],
    ['read', 'constructor', 'nothing'],
  ] as const) {
    test(`${verb} ${path}`, () => {
      assert.equal(find(new Router(PATHS), verb, path), expected);
    });
  }

  test('the order of declaration says nothing', () => {
    const asked = ['keys/import', 'keys/a', 'data/a/b', 'mounts/a/b/tune', 'mounts/x/a/tune', 'metadata/a/'];
    const answers = (router: Router<WriteContext>): readonly string[] =>
      asked.flatMap((path) => [find(router, 'read', path), find(router, 'write', path), find(router, 'list', path)]);
    const expected = answers(new Router(PATHS));
    fc.assert(
      fc.property(fc.shuffledSubarray(PATHS, { minLength: PATHS.length }), (shuffled) => {
        assert.deepEqual(answers(new Router(shuffled)), expected);
      }),
      { numRuns: 50 },
    );
  });
});

test('each word declares its verb', () => {
  const words = [read, write, patch, remove].map((word) => word('keys/:name', spec, () => noContent));
  const router = new Router([...words, list('keys', { summary: 'Test', params: {} }, () => ({ keys: [] }))]);
  for (const verb of ['read', 'write', 'patch', 'remove'] as const) {
    assert.equal(find(router, verb, 'keys/a'), 'keys/:name name=a', verb);
  }
  assert.equal(find(router, 'list', 'keys'), 'keys');
});

for (const [what, paths, message] of [
  ['the same path and verb twice', ['read a', 'read a'], /declared twice/],
  ['the same path by other names of parameters', ['read a/:name', 'read a/:key'], /declared twice/],
  ['the same path by an optional part', ['read a(/:name)', 'read a/:key'], /declared twice/],
  ['a parameter after any number of segments', ['read a/:path/:name'], /only literals may follow/],
] as const) {
  test(`a mistake of ours: ${what}`, () => {
    const endpoints = paths.map((line) => endpoint(verbOf(line), line.slice(line.indexOf(' ') + 1)));
    assert.throws(() => new Router(endpoints), message);
  });
}

test('any path that fits one of the forms is found, with its segments as they are', () => {
  const segment = fc.string({ minLength: 1, maxLength: 8 }).map((text) => text.replaceAll('/', '_'));
  const router = new Router(PATHS);
  fc.assert(
    fc.property(segment, fc.array(segment, { minLength: 1, maxLength: 6 }), (name, rest) => {
      fc.pre(name !== 'import' && rest.at(-1) !== 'tune');
      assert.equal(find(router, 'read', `keys/${name}`), `keys/:name name=${name}`);
      assert.equal(find(router, 'read', `data/${rest.join('/')}`), `data/:path path=${rest.join('/')}`);
      assert.equal(find(router, 'read', `mounts/${rest.join('/')}`), `mounts/:path path=${rest.join('/')}`);
    }),
  );
});
