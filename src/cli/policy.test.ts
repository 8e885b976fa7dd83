import assert from 'node:assert/strict';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { runProgram } from './program.ts';
import { scratchFolder } from './testing.ts';

async function typed(args: readonly string[], given: string | Buffer = '') {
  const said = { out: '', err: '' };
  const input = new PassThrough();
  input.end(given);
  const code = await runProgram(['policy', 'fmt', ...args], {
    environment: {},
    terminal: false,
    input,
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
  });
  return { code, ...said };
}

const UGLY = '# é\npath "a"{policy="read"}';
const NEAT = '# é\npath "a" {\n  policy = "read"\n}\n';

test('a file is laid out in its place, keeps its mode, and is left alone the next time', async () => {
  const folder = scratchFolder();
  const file = join(folder, 'p.hcl');
  writeFileSync(file, UGLY);
  chmodSync(file, 0o640);
  assert.deepEqual(await typed([file]), { code: 0, out: `Formatted: ${file}\n`, err: '' });
  assert.equal(readFileSync(file, 'utf8'), NEAT);
  assert.equal(statSync(file).mode & 0o777, 0o640);
  const { ino } = statSync(file);
  assert.deepEqual(await typed([file]), { code: 0, out: `Formatted already: ${file}\n`, err: '' });
  assert.equal(statSync(file).ino, ino);
  assert.deepEqual(readdirSync(folder), ['p.hcl']);
});

test('a link stays a link', async () => {
  const folder = scratchFolder();
  const [file, link] = [join(folder, 'p.hcl'), join(folder, 'link')];
  writeFileSync(file, UGLY);
  symlinkSync(file, link);
  assert.equal((await typed([link])).code, 0);
  assert.ok(lstatSync(link).isSymbolicLink());
  assert.equal(readFileSync(file, 'utf8'), NEAT);
});

test('- reads the input and writes to the output', async () => {
  assert.deepEqual(await typed(['-'], UGLY), { code: 0, out: NEAT, err: '' });
  assert.deepEqual(await typed(['-'], NEAT), { code: 0, out: NEAT, err: '' });
});

test('what is no policy stays as it is, and is said', async () => {
  const folder = scratchFolder();
  for (const [content, sentence] of [
    ['path "a" {', /p\.hcl: policy: line 1/],
    ['path "a" { colour = 1 }', /p\.hcl: policy: line 1: a rule key is not known/],
    [Buffer.from([0x23, 0xff]), /p\.hcl: must be UTF-8/],
    ['', /p\.hcl: policy: the text is empty/],
  ] as const) {
    const file = join(folder, 'p.hcl');
    writeFileSync(file, content);
    const { code, out, err } = await typed([file]);
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, sentence);
    assert.deepEqual(readFileSync(file), Buffer.from(content));
  }
  assert.match((await typed(['-'], 'x')).err, /the standard input: policy: line 1/);
  assert.equal((await typed(['-'], 'x'.repeat(4 * 1024 * 1024 + 1))).code, 1);
});

test('files that are none, and wrong use', async () => {
  const folder = scratchFolder();
  mkdirSync(join(folder, 'folder'));
  assert.match((await typed([join(folder, 'none')])).err, /cannot be read: there is no such file/);
  assert.match((await typed([join(folder, 'folder')])).err, /cannot be read: it is a folder/);
  for (const args of [[], ['a', 'b'], ['--write'], ['-', 'b']]) assert.equal((await typed(args)).code, 2);
});
