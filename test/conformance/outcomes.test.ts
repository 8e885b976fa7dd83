import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';

const folder = mkdtempSync(join(tmpdir(), 'keyhold-outcomes-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const SUITE = `
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
describe('group', { concurrency: 4 }, () => {
  test('slow', async () => { await new Promise((resolve) => setTimeout(resolve, 50)); });
  test('fails', () => assert.equal(1, 2, 'one is not two'));
  describe('inner', () => { test('fails', () => { throw new Error('inside'); }); });
  test('twice', () => {});
  test('twice', () => { throw new Error('the second'); });
});
describe('broken', () => { before(() => { throw new Error('no ground'); }); test('never', () => {}); });
describe('left out', { skip: 'why' }, () => { test('unseen', () => {}); });
test('skips', { skip: true }, () => {});
`;

/** In a process of its own: the runner of node does not run inside one of its tests. */
function outcomesOf(name: string, text: string): readonly { name: string; result: string; reason: string }[] {
  const file = join(folder, `${name}.test.mjs`);
  writeFileSync(file, text);
  const script = join(folder, `${name}.mjs`);
  const runner = new URL('./outcomes.js', import.meta.url).href;
  writeFileSync(
    script,
    `import { runSuite } from ${JSON.stringify(runner)};
     console.log(JSON.stringify(await runSuite(${JSON.stringify(file)}, {})));`,
  );
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawnSync(process.execPath, [script], { env, encoding: 'utf8' });
  assert.equal(child.status, 0, child.stderr);
  return JSON.parse(child.stdout);
}

test('every case has its outcome under its whole name, and a group none where its cases tell', () => {
  const outcomes = outcomesOf('pots', SUITE);
  const told = outcomes.map(({ name, result }) => `${result}: ${name}`).sort();
  assert.deepEqual(told, [
    'failed: pots › broken',
    'failed: pots › broken › never',
    'failed: pots › group › fails',
    'failed: pots › group › inner › fails',
    'failed: pots › group › twice #2',
    'passed: pots › group › slow',
    'passed: pots › group › twice',
    'skipped: pots › left out',
    'skipped: pots › skips',
  ]);
  assert.match(outcomes.find(({ name }) => name === 'pots › group › fails')?.reason ?? '', /one is not two/);
});

test('a suite that cannot even be loaded has failed', () => {
  const outcomes = outcomesOf('torn', 'import "./there-is-no-such-file.mjs";');
  assert.deepEqual(
    outcomes.map(({ result }) => result),
    ['failed'],
  );
});

test('a suite without a test has failed', () => {
  const outcomes = outcomesOf('empty', '');
  assert.deepEqual(
    outcomes.map(({ result }) => result),
    ['failed'],
  );
});

test('a suite that ends in the middle has failed', () => {
  const outcomes = outcomesOf(
    'ended',
    "import { test } from 'node:test'; test('a', () => {}); test('b', () => process.exit(3));",
  );
  assert.ok(outcomes.some(({ result }) => result === 'failed'));
});
