import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { methods } from '../../src/auth/index.ts';
import { tokenEndpoints } from '../../src/auth/token/index.ts';
import { engines } from '../../src/engines/index.ts';
import { ServiceError } from '../../src/framework/errors.ts';
import { identityEndpoints } from '../../src/identity/index.ts';
import { statusEndpoints, systemEndpoints } from '../../src/sys/index.ts';
import { built, product } from './tree.ts';

/** What a file of routes exports: endpoints, alone or in arrays. */
interface Declared {
  readonly verb: string;
  readonly path: string;
  readonly summary: string;
}

function isDeclared(value: unknown): value is Declared {
  const has = (name: string): boolean =>
    typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'string';
  return has('verb') && has('path') && has('summary');
}

async function declaredIn(file: string): Promise<readonly Declared[]> {
  const module: unknown = await import(built(file));
  return Object.values(Object(module))
    .flatMap((value: unknown) => (Array.isArray(value) ? value : [value]))
    .filter(isDeclared);
}

/**
 * The file that declares a path, from its folder of routes: the path without its parameters. A path of parameters alone
 * stands in `index.ts`.
 */
function fileOf(path: string): string {
  const literals = path
    .replace(/[()]/g, '')
    .split('/')
    .filter((segment) => segment !== '' && !segment.startsWith(':'));
  return `${literals.length === 0 ? 'index' : literals.join('/')}.ts`;
}

const routeFiles = product().filter((path) => path.includes('/routes/'));

test('the file of a path', () => {
  for (const [path, file] of [
    ['keys/:name/rotate', 'keys/rotate.ts'],
    ['hmac/:name(/:algorithm)', 'hmac.ts'],
    ['data/:path', 'data.ts'],
    ['mounts/:path/tune', 'mounts/tune.ts'],
    ['mounts', 'mounts.ts'],
    [':path', 'index.ts'],
  ] as const) {
    assert.equal(fileOf(path), file);
  }
});

describe('the address is the map', () => {
  test('there are files of routes', () => assert.ok(routeFiles.length > 20));

  for (const file of routeFiles) {
    test(file, async () => {
      const endpoints = await declaredIn(file);
      assert.notEqual(endpoints.length, 0, 'a file of routes declares an endpoint');
      const within = file.slice(file.indexOf('/routes/') + '/routes/'.length);
      for (const { verb, path, summary } of endpoints) {
        assert.equal(fileOf(path), within, `${verb} ${path}`);
        assert.match(
          summary,
          /^[A-Z].{3,100}[^.\s]$/,
          `${verb} ${path}: a summary is a short sentence without its stop`,
        );
      }
    });
  }
});

/** All that this server serves: of an engine, what it serves under any of the options it knows. */
function served(): readonly Declared[] {
  const ofEngines = [...engines, ...methods].flatMap(({ variant, aliases = new Map() }) =>
    [new Map<string, string>(), ...aliases.values()].flatMap((options) => {
      try {
        return variant(options).endpoints;
      } catch (error) {
        if (error instanceof ServiceError) return [];
        throw error;
      }
    }),
  );
  return [...systemEndpoints, ...statusEndpoints, ...tokenEndpoints, ...identityEndpoints, ...ofEngines];
}

test('what is declared is served, and what is served is declared in a file of routes', async () => {
  const declared = new Set((await Promise.all(routeFiles.map(declaredIn))).flat());
  const all = new Set(served());
  const name = ({ verb, path }: Declared): string => `${verb} ${path}`;
  assert.deepEqual([...declared].filter((endpoint) => !all.has(endpoint)).map(name), [], 'declared but not served');
  assert.deepEqual(
    [...all].filter((endpoint) => !declared.has(endpoint)).map(name),
    [],
    'served but declared elsewhere',
  );
});
