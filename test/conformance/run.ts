import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { skip, startDatabase } from '../../src/storage/postgres/testing/server.ts';
import { KnownFailures } from './known.ts';
import { type Outcome, runSuite, suiteOf } from './outcomes.ts';
import { ROOT_TOKEN, startSuiteServer } from './server.ts';

/**
 * `node run.js FOLDER [--postgres] [SUITE…]` runs the conformance suites of a folder, all or those named, each against a
 * server of its own, on LMDB or PostgreSQL, and compares with the list of known failures. Ends with 1 where they say
 * different things.
 */
const LIST = new URL('../../../test/conformance/known-failures.json', import.meta.url);

/** Suites that tell the life of a server from before its first start. */
const FRESH = new Set(['tokens-seal']);

async function outcomesOf(file: string, databaseUrl: string | undefined): Promise<readonly Outcome[]> {
  const fresh = FRESH.has(suiteOf(file));
  const server = await startSuiteServer(fresh ? 'fresh' : 'dev', databaseUrl);
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

async function run(folder: string, wanted: readonly string[], databaseUrl: string | undefined): Promise<number> {
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
    const own = await outcomesOf(file, databaseUrl);
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

async function onPostgres(folder: string, wanted: readonly string[]): Promise<number> {
  if (skip !== false) {
    console.log(`not run: ${skip}\n# pass 0\n# fail 0\n# skipped 1`);
    return 0;
  }
  const database = await startDatabase('max_connections=200', 'fsync=off');
  try {
    return await run(folder, wanted, database.url);
  } finally {
    await database.stop();
  }
}

const { values, positionals } = parseArgs({ options: { postgres: { type: 'boolean' } }, allowPositionals: true });
const [folder, ...wanted] = positionals;
if (folder === undefined) throw new Error('usage: run.js FOLDER [--postgres] [SUITE…]');
process.exitCode = await (values.postgres ? onPostgres(folder, wanted) : run(folder, wanted, undefined));
