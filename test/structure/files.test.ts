import assert from 'node:assert/strict';
import { test } from 'node:test';
import { files, product, text } from './tree.ts';

const MAX_LINES = 400;

const sources = files().filter((path) => /\.(ts|mjs|js)$/.test(path));

test('no file is longer than one holds in the head', () => {
  assert.ok(sources.length > 100);
  const long = sources.filter((path) => text(path).split('\n').length - 1 > MAX_LINES);
  assert.deepEqual(long, []);
});

/** Patterns in two parts, so that this file does not match them itself. */
const pattern = (...parts: readonly string[]): RegExp => new RegExp(parts.join(''), 'm');

/** Places of one machine, and hosts that packages come from. */
const FOREIGN = [
  pattern('(^|[\\s"\'`(=:])/(wo', 'rk|ro', 'ot|ho', 'me|Us', 'ers)/'),
  pattern('registry\\.', '(npmjs|yarnpkg)'),
  pattern('npm', 'mirror|verda', 'ccio|arti', 'factory'),
];

const isForeign = (content: string): boolean => FOREIGN.some((foreign) => foreign.test(content));

test('no file names a place of one machine or a registry', () => {
  const readable = files().filter((path) => !/\.(png|ico|pem)$/.test(path));
  assert.deepEqual(
    readable.filter((path) => isForeign(text(path))),
    [],
  );
  for (const planted of ['cd /wo!rk/main', '"/ho!me/ada/x"', 'https://regi!stry.npmjs.org/lmdb', "'/ro!ot/.ssh'"]) {
    assert.ok(isForeign(planted.replace('!', '')), planted);
  }
  for (const fine of ['the work/home ratio', 'src/root/', 'path /v1/wo!rk/x', 'auth/token/root']) {
    assert.ok(!isForeign(fine.replace('!', '')), fine);
  }
});

test('the lock file says what is installed, not where from', () => {
  const lock = text('package-lock.json');
  assert.match(lock, /"integrity": "sha512-/);
  assert.doesNotMatch(lock, /"resolved"/);
});

test('every package that the project depends on has its reason in ARCHITECTURE.md', () => {
  const { dependencies, devDependencies } = JSON.parse(text('package.json'));
  const reasons = text('ARCHITECTURE.md');
  const names = [...Object.keys(dependencies), ...Object.keys(devDependencies)];
  assert.ok(names.length > 5);
  assert.deepEqual(
    names.filter((name) => !reasons.includes(`\`${name}\``)),
    [],
  );
});

/**
 * Where a type is asserted rather than proved, with the number of times; the file says each time why it is sound. Only
 * the first forgets types altogether.
 */
const ASSERTED: ReadonlyMap<string, number> = new Map([
  ['src/framework/endpoint.ts', 2],
  ['src/framework/answer.ts', 1],
  ['src/framework/record.ts', 1],
  // Members that the package has and its types leave out.
  ['src/storage/lmdb.ts', 1],
  ['src/barrier/cache.ts', 1],
  ['src/storage/lmdb.ts', 1],
  ['src/config/settings.ts', 1],
  ['src/sys/status.ts', 1],
  // The other end of the channel is this program too.
  ['src/workers/channel.ts', 1],
]);
const FORGETS = 'src/framework/endpoint.ts';

const WORDS = new RegExp(
  [
    /\/\*[\s\S]*?\*\/|\/\/.*$/, // comments
    /(?<=[=(,:!&|?>]\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//, // regular expressions
    /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/, // texts
  ]
    .map(({ source }) => source)
    .join('|'),
  'gm',
);

/** Code without comments, texts and names of imports, in which words mean something else. */
const code = (content: string): string =>
  content.replace(WORDS, "''").replace(/^(?:import|export) [^;]*? from '';$/gm, '');

const assertions = (content: string): number => code(content).match(/\bas (?!const\b)/g)?.length ?? 0;
const forgets = (content: string): boolean => /[:<|&]\s*any\b|,\s*any\s*[>,]|\bas (any|unknown)\b/.test(code(content));
const switchesOff = (content: string): boolean =>
  pattern('@ts-', '(ignore|nocheck|expect-error)|biome-', 'ignore').test(content);

test('types are proved, not asserted', () => {
  const found = new Map(
    product().flatMap((path) => {
      const count = assertions(text(path));
      return count === 0 ? [] : [[path, count] as const];
    }),
  );
  assert.deepEqual(Object.fromEntries([...found].sort()), Object.fromEntries([...ASSERTED].sort()));
  assert.deepEqual(
    sources.filter((path) => path !== FORGETS && path.endsWith('.ts') && forgets(text(path))),
    [],
  );
  assert.deepEqual(
    product().filter((path) => path !== FORGETS && switchesOff(text(path))),
    [],
  );
});

test('an assertion that is planted is found', () => {
  for (const [content, count] of [
    ['return x as Y;', 1],
    ['return x as const;', 0],
    ["const a = /['`as]/.test('x');\n// it's as it is\nreturn f(`a`) as B;", 1],
    ["import { a as b } from './c.ts';", 0],
    ['// as it is\n/** as above */ const a = `as A` + "as B";', 0],
    ['f(x as unknown as Y, z as W)', 3],
  ] as const) {
    assert.equal(assertions(content), count, content);
  }
  for (const content of [
    'let a: any;',
    'f<any>()',
    'x as any',
    'x as unknown as Y',
    'const a: any[] = [];',
    'Map<string, any>',
  ]) {
    assert.ok(forgets(content), content);
  }
  for (const content of ['// any: of them', "const a = ': any';", 'anyOf(x)', '/** any<any> */'])
    assert.ok(!forgets(content));
  assert.ok(switchesOff(`// ${'@ts-'}ignore`));
});
