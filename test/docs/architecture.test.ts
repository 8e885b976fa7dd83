import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { blocksOf, page, projectFile } from './guide.ts';

/** The example of ARCHITECTURE.md, built as part of the product in a copy of it. */

const LIST = 'src/engines/index.ts';
const STRUCTURE = ['imports', 'routes'].map((name) => `dist/test/structure/${name}.test.js`);
/** The tests among them that say something of the example; what they say of the rest they say where they stand. */
const RULES = [
  'no file needs itself to be loaded',
  'src/engines/memo/routes/notes\\.ts',
  'src/engines/memo/routes/config\\.ts',
  'what is declared is served',
];
const OWN = 'dist/src/engines/memo/memo.test.js';

interface Ended {
  readonly code: number;
  readonly out: string;
}

function run(folder: string, command: string, args: readonly string[]): Promise<Ended> {
  // A runner of tests that is told that it runs within another one runs nothing.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== 'NODE_TEST_CONTEXT'));
  return new Promise((resolve) => {
    execFile(command, args, { cwd: folder, env, timeout: 120_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), out: stdout + stderr });
    });
  });
}

/** A copy of the product with the files of the page put in; removed after the tests. */
function copyWith(markdown: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyhold-example-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const from = (name: string): string => fileURLToPath(projectFile(name));
  const filter = (path: string): boolean => !path.endsWith('.test.ts');
  cpSync(from('src'), join(folder, 'src'), { recursive: true, filter });
  cpSync(from('test/structure'), join(folder, 'test/structure'), { recursive: true });
  for (const name of ['package.json', 'tsconfig.json', 'biome.json']) cpSync(from(name), join(folder, name));
  symlinkSync(from('node_modules'), join(folder, 'node_modules'));
  for (const { language, info, text } of blocksOf(markdown)) {
    if (language === 'ts' && info === `line ${LIST}`) addLine(join(folder, LIST), text);
    else if (language === 'ts') put(join(folder, info), text);
  }
  return folder;
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Puts the engine of the page at the end of the product's list, as whoever follows the page does with their own. */
function addLine(path: string, text: string): void {
  const [imported = '', line = ''] = text.split('\n');
  const list = readFileSync(path, 'utf8');
  assert.match(line, /, memo\];$/);
  const [start = '', names = ''] = /^(export const engines.*\[)(.*)\];$/m.exec(list)?.slice(1) ?? [];
  assert.ok(line.startsWith(start) && names !== '', `${LIST} declares its list in another way than the page`);
  writeFileSync(path, `${imported}\n${list.replace(`${start}${names}]`, `${start}${names}, memo]`)}`);
}

const compile = (folder: string): Promise<Ended> => run(folder, 'node_modules/.bin/tsc', ['-p', '.']);
const runTests = (folder: string, files: readonly string[]): Promise<Ended> =>
  run(folder, process.execPath, ['--test', '--test-reporter=tap', ...files]);
const passed = ({ out }: Ended): number => Number(/^# pass (\d+)$/m.exec(out)?.[1] ?? 0);

test('the engine of ARCHITECTURE.md compiles, keeps the rules of structure, is well formed, and works', async () => {
  const folder = copyWith(page('ARCHITECTURE.md'));
  assert.deepEqual(await compile(folder), { code: 0, out: '' });
  const [own, structure, formed] = await Promise.all([
    runTests(folder, [OWN]),
    runTests(folder, STRUCTURE),
    run(folder, 'node_modules/.bin/biome', ['check', '--vcs-enabled=false', 'src/engines/memo']),
  ]);
  assert.equal(own.code, 0, own.out);
  assert.equal(passed(own), 1);
  assert.doesNotMatch(structure.out, /engines\/memo\/\S+ imports/);
  for (const name of RULES) assert.match(structure.out, new RegExp(`^ *ok \\d+ - ${name}`, 'm'), name);
  assert.equal(formed.code, 0, formed.out);
});

test('faults that are planted in the example are found', async () => {
  const example = page('ARCHITECTURE.md');
  const planted = (right: string, wrong: string): string => {
    assert.ok(example.includes(right));
    return copyWith(example.replace(right, wrong));
  };
  const [undeclared, open, foreign] = await Promise.all([
    compile(planted('params: { name, text', 'params: { text')),
    (async () => {
      const folder = planted('    sudo: true,\n', '');
      assert.equal((await compile(folder)).code, 0);
      return runTests(folder, [OWN]);
    })(),
    (async () => {
      const folder = planted("routes/notes.ts';\n\nconst only", "routes/notes.ts';\nimport 'node:fs';\n\nconst only");
      assert.equal((await compile(folder)).code, 0);
      return runTests(folder, STRUCTURE);
    })(),
  ]);
  assert.match(undeclared.out, /routes\/notes\.ts/);
  assert.match(open.out, /update is not sudo/);
  assert.match(foreign.out, /memo\/index\.ts imports node:fs/);
});
