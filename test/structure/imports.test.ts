import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Import, imports, importsOf, product } from './tree.ts';

/** What a layer may import of others: all, or types alone, which are gone when the program runs. */
interface Reach {
  readonly values?: readonly string[];
  readonly types?: readonly string[];
}

/**
 * Imports point one way (ARCHITECTURE.md, the layers). A folder that is not named here wires the others together: it may
 * import all of them, and none of them may import it.
 */
const LAYERS: ReadonlyMap<string, Reach> = new Map<string, Reach>([
  ['framework', { types: ['storage'] }],
  ['storage', { values: ['framework'] }],
  ['http', { values: ['framework'] }],
  ['policies', { values: ['framework'] }],
  ['barrier', { values: ['framework'], types: ['storage'] }],
  ['tokens', { values: ['framework'], types: ['barrier', 'storage'] }],
  ['leases', { values: ['framework', 'tokens'], types: ['barrier', 'storage'] }],
  [
    'core',
    {
      values: ['framework', 'http', 'policies', 'tokens', 'leases', 'sys', 'auth/token', 'identity'],
      types: ['barrier', 'storage'],
    },
  ],
  ['engines', { values: ['framework'] }],
  ['auth', { values: ['framework'] }],
  // Privileged: these handlers see the whole store, since they are about the server itself, its mounts and policies.
  ['sys', { values: ['core', 'framework', 'policies'], types: ['barrier', 'storage', 'tokens'] }],
  // Privileged: who somebody is belongs to no mount's part of the store; logins and requests ask it.
  ['identity', { values: ['core', 'framework', 'sys'], types: ['barrier', 'policies', 'storage'] }],
  // Privileged: tokens belong to no mount's part of the store, and what one may grant depends on the policies there are.
  ['auth/token', { values: ['core', 'framework', 'identity', 'policies', 'sys', 'tokens'], types: ['barrier'] }],
]);

/** Packages, and who imports them. */
const PACKAGES: ReadonlyMap<string, string> = new Map([
  ['lmdb', 'src/storage/lmdb.ts'],
  ['pg', 'src/storage/postgres/connections.ts'],
  ['smol-toml', 'src/config/file.ts'],
]);

/** The layer of a source: its folder; of an engine or an auth method its own, so that none sees another. */
function layerOf(path: string): string {
  const [, folder = '', name = '', ...rest] = path.split('/');
  if (name === '') return '';
  return (folder === 'engines' || folder === 'auth') && rest.length > 0 ? `${folder}/${name}` : folder;
}

const reachOf = (layer: string): Reach | undefined => LAYERS.get(layer) ?? LAYERS.get(layer.split('/', 1)[0] ?? '');

/** Why this import may not be; undefined where it may. */
function objection(path: string, { of, external, typesOnly }: Import): string | undefined {
  const from = layerOf(path);
  const reach = reachOf(from);
  if (external) return objectionToPackage(path, from, of);
  const to = layerOf(of);
  if (reach === undefined || from === to) return undefined;
  if (reach.values?.includes(to) || (typesOnly && reach.types?.includes(to))) return undefined;
  // The list of engines names them all.
  if (path === `src/${from}/index.ts` && to.startsWith(`${from}/`)) return undefined;
  return `${path} imports ${typesOnly ? 'types' : 'values'} of ${of}`;
}

function objectionToPackage(path: string, from: string, name: string): string | undefined {
  const engine = from.startsWith('engines') || (from.startsWith('auth') && from !== 'auth/token');
  if (name.startsWith('node:')) return engine && name !== 'node:crypto' ? `${path} imports ${name}` : undefined;
  return PACKAGES.get(name) === path ? undefined : `${path} imports the package ${name}`;
}

const objections = (path: string, given: readonly Import[]): readonly string[] =>
  given.flatMap((one) => objection(path, one) ?? []);

test('imports point one way', () => {
  assert.deepEqual(
    product().flatMap((path) => objections(path, imports(path))),
    [],
  );
});

for (const [path, source, expected] of [
  ['src/http/a.ts', "import { handle } from '../core/handle.ts';", 1],
  ['src/framework/a.ts', "import { lmdbStore } from '../storage/lmdb.ts';", 1],
  ['src/framework/a.ts', "import type { Store } from '../storage/store.ts';", 0],
  ['src/framework/a.ts', "import { type Store, keys } from '../storage/store.ts';", 1],
  ['src/engines/kv/a.ts', "import { x } from '../transit/x.ts';", 1],
  ['src/engines/kv/routes/a.ts', "import type { Service } from '../../../core/service.ts';", 1],
  ['src/engines/kv/routes/a.ts', "import { x } from '../x.ts';", 0],
  ['src/engines/kv/a.ts', "import { hash } from 'node:crypto';", 0],
  ['src/engines/kv/a.ts', "import { connect } from 'node:net';", 1],
  ['src/engines/kv/a.ts', "import 'node:fs';", 1],
  ['src/engines/index.ts', "import { kv } from './kv/index.ts';", 0],
  ['src/auth/jwt/a.ts', "import { policyKey } from '../../core/state.ts';", 1],
  ['src/auth/token/a.ts', "import {\n  policyKey,\n} from '../../core/state.ts';", 0],
  ['src/core/a.ts', "export * from '../config/flags.ts';", 1],
  ['src/core/a.ts', "export { VERSION } from '../version.ts';", 1],
  ['src/http/a.ts', "import { open } from 'lmdb';", 1],
  ['src/server.ts', "import { lmdbStore } from './storage/lmdb.ts';", 0],
] as const) {
  test(`${expected === 0 ? 'allowed' : 'refused'} in ${path}: ${source.replaceAll('\n', ' ')}`, () => {
    assert.equal(objections(path, importsOf(path, source)).length, expected);
  });
}

test('an import whose name is made while running is refused', () => {
  assert.throws(() => importsOf('src/a.ts', "const x = await import('./b.ts');"), /cannot be checked/);
});

/** The files on a way of imports from a file back to itself. */
function cycle(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  const visit = (path: string, way: readonly string[]): readonly string[] => {
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path];
    if (done.has(path)) return [];
    for (const next of graph.get(path) ?? []) {
      const found = visit(next, [...way, path]);
      if (found.length > 0) return found;
    }
    done.add(path);
    return [];
  };
  for (const path of graph.keys()) {
    const found = visit(path, []);
    if (found.length > 0) return found;
  }
  return [];
}

test('no file needs itself to be loaded', () => {
  const values = (path: string): readonly string[] =>
    imports(path).flatMap(({ of, external, typesOnly }) => (external || typesOnly ? [] : [of]));
  assert.deepEqual(cycle(new Map(product().map((path) => [path, values(path)]))), []);
  const planted = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', []],
    ['d', ['b']],
  ]);
  assert.deepEqual(cycle(planted), ['b', 'd', 'b']);
});
