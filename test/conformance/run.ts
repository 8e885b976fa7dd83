import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { KnownFailures } from './known.ts';
import { type Outcome, runSuite, suiteOf } from './outcomes.ts';
import { ROOT_TOKEN, startSuiteServer } from './server.ts';

/**
 * `node run.js FOLDER [SUITE…]` runs the conformance suites of a folder, all or those named, each against a server of
 * its own, and compares with the list of known failures. Ends with 1 where they say different things.
 */
const LIST = new URL('../../../test/conformance/known-failures.json', import.meta.url);

/** Suites that tell the life of a server from before its first start. */
const FRESH = new Set(['tokens-seal']);

async function outcomesOf(file: string): Promise<readonly Outcome[]> {
  const fresh = FRESH.has(suiteOf(file));
  const server = await startSuiteServer(fresh ? 'fresh' : 'dev');
  try {
    const environment = {
      SERVICE_ADDR: server.url,
      SERVICE_TOKEN: ROOT_TOKEN,
      ...(fresh ? { SERVICE_FRESH: '1' } : {}),
    };
    return await runSuite(file, environment);
  } finally {
    await server.stop();
  }
}

async function main([folder, ...wanted]: readonly string[]): Promise<number> {
  if (folder === undefined) throw new Error('usage: run.js FOLDER [SUITE…]');
  const list = new KnownFailures(JSON.parse(readFileSync(LIST, 'utf8')));
  const files = new Map(
    readdirSync(folder)
      .filter((name) => name.endsWith('.test.mjs'))
      .map((name) => [suiteOf(name), resolve(folder, name)]),
  );
  const waiting = [...files.keys()].filter((suite) => list.suites.has(suite));
  const suites = wanted.length > 0 ? wanted : [...files.keys()].filter((suite) => !list.suites.has(suite)).sort();
  const outcomes: Outcome[] = [];
  for (const suite of suites) {
    const file = files.get(suite);
    if (file === undefined) throw new Error(`there is no suite ${suite} in ${folder}`);
    const own = await outcomesOf(file);
    const count = (result: Outcome['result']): number => own.filter((outcome) => outcome.result === result).length;
    console.log(`${suite}: ${count('passed')} pass, ${count('failed')} fail, ${count('skipped')} skipped`);
    outcomes.push(...own);
  }
  const { passed, known, skipped, faults } = list.judge(suites, outcomes);
  for (const fault of faults) console.log(`\n${fault}`);
  console.log(`\nsuites that do not run yet: ${waiting.join(', ') || 'none'}`);
  console.log(`known failures: ${known}`);
  // As the test runner of node sums up.
  console.log(`# pass ${passed}\n# fail ${faults.length}\n# skipped ${skipped}`);
  return faults.length === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
