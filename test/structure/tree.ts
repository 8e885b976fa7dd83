import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';

/** The folder of the project; the tests of its structure run from `dist/test/structure`. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

const NOT_OURS = new Set(['.git', 'node_modules', 'dist', 'data']);

/** Files of the project by their path from its root, sorted; `within` is a folder, by default all of it. */
export function files(within = ''): readonly string[] {
  const found: string[] = [];
  for (const name of readdirSync(join(ROOT, within))) {
    const path = join(within, name);
    if (NOT_OURS.has(path)) continue;
    if (statSync(join(ROOT, path)).isDirectory()) found.push(...files(path));
    else found.push(path);
  }
  return found.sort();
}

export const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Where a source file is loaded from once it is built. */
export const built = (path: string): string => new URL(`../../${path.replace(/\.ts$/, '.js')}`, import.meta.url).href;

/** Whether a source file serves tests alone. */
export const isForTests = (path: string): boolean => /\.test\.ts$|(^|\/)testing(\/|\.ts$)|\/suite\.ts$/.test(path);

/** Sources that are part of the product. */
export const product = (): readonly string[] =>
  files('src').filter((path) => path.endsWith('.ts') && !isForTests(path));

export interface Import {
  /** Path from the root of the project, or the name of a package. */
  readonly of: string;
  readonly external: boolean;
  /** Nothing of it is left when the program runs. */
  readonly typesOnly: boolean;
}

/** What a source file imports or re-exports. */
export function imports(path: string): readonly Import[] {
  return importsOf(path, text(path));
}

/** As `imports`, of a text that stands or would stand at this path. */
export function importsOf(path: string, source: string): readonly Import[] {
  const statements = source.matchAll(/^(?:import|export)\s([^;'"]*?)\s*from\s'([^']+)';$/gm);
  const bare = source.matchAll(/^import\s()'([^']+)';$|\bimport\(()['"`]/gm);
  return [...statements, ...bare].map(([all, what = '', from = '']) => {
    if (from === '') throw new Error(`${path}: ${all}: imports of a name that is made while running cannot be checked`);
    const external = !from.startsWith('.');
    return { of: external ? from : join(dirname(path), from), external, typesOnly: isTypesOnly(what) };
  });
}

function isTypesOnly(what: string): boolean {
  if (what.startsWith('type ')) return true;
  const names = what.startsWith('{') ? what.replace(/[{}]/g, '').split(',') : [];
  const given = names.map((name) => name.trim()).filter((name) => name !== '');
  return given.length > 0 && given.every((name) => name.startsWith('type '));
}
