import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { configOf } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { startServer } from '../../src/server.ts';
import { checkPrinted, holds, matches, missing, page, runSteps, stepsOf } from './guide.ts';

/** As `npm start` does it, from the folder of the project: the data lies in `data/dev`. */
async function withServer(use: (url: string, folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'keyhold-docs-'));
  const log = createLog({ level: 'error', format: 'json', write: (line) => process.stderr.write(line) });
  try {
    const config = configOf({ dev: true, listen: '127.0.0.1:0', data: join(folder, 'data', 'dev') });
    const server = await startServer(config, log);
    try {
      await use(server.url, folder);
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('the commands of the pages', { skip: missing('curl') && 'there is no curl here' }, () => {
  for (const [name, least] of [
    ['README.md', 2],
    ['docs/user-guide.md', 10],
  ] as const) {
    test(name, async () => {
      const steps = stepsOf(page(name));
      assert.ok(steps.length >= least);
      assert.ok(steps.filter(({ printed }) => printed !== undefined).length >= least / 2);
      await withServer(async (url, folder) => {
        const printed = await runSteps(steps, { url, folder });
        steps.forEach((step, i) => {
          checkPrinted(step, printed[i] ?? '');
        });
      });
    });
  }

  test('a command that fails, and one that prints something else, are found', async () => {
    const place = { url: 'http://127.0.0.1:1', folder: tmpdir() };
    const steps = (text: string) => stepsOf(`\`\`\`sh\n${text}\n\`\`\`\n\n\`\`\`json printed\n{"a": 1}\n\`\`\`\n`);
    await assert.rejects(runSteps(steps('false'), place), /the commands failed/);
    await assert.rejects(runSteps(steps('curl -sS http://127.0.0.1:8200/'), place), /127\.0\.0\.1 port 1|Failed/);
    for (const [command, fine] of [
      [`echo '{"b":2,"a":1}'`, true],
      [`echo '{"a":2}'`, false],
      [`echo '{}'`, false],
    ] as const) {
      const [step] = steps(command);
      assert.ok(step !== undefined);
      const [printed = ''] = await runSteps([step], place);
      if (fine) checkPrinted(step, printed);
      else assert.throws(() => checkPrinted(step, printed), /what the commands of line 1 print/);
    }
  });
});

test('what a page shows of a value', () => {
  for (const [shown, value, expected] of [
    ['a…', 'abc', true],
    ['…c', 'abc', true],
    ['a…c', 'ac', true],
    ['a…b…c', 'a1b2c', true],
    ['ab…bc', 'abc', false],
    ['a…', 'bc', false],
    ['abc', 'abcd', false],
  ] as const) {
    assert.equal(matches(shown, value), expected, `${shown} ${value}`);
  }
  for (const [shown, value, expected] of [
    [{ a: 1 }, { a: 1, b: 2 }, true],
    [{ a: 1, c: 1 }, { a: 1, b: 2 }, false],
    [['a'], ['a', 'b'], false],
    [['a', '…'], ['a', 'b'], true],
    ['…', 7, true],
    ['…', null, true],
    [null, undefined, false],
    [{}, [], false],
  ] as const) {
    assert.equal(holds(shown, value), expected, JSON.stringify([shown, value]));
  }
});
