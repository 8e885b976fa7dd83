// Runs clients and faults against nodes that share a store, and checks that every history can be explained.
//
//   npm run prove:histories -- [--runs 20] [--seed N] [--level http|store] [--store postgres|lmdb] [--plant NAME]
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { plantBug, plants } from './plants.ts';
import { openBench, type Run } from './run.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    level: { type: 'string', default: 'http' },
    store: { type: 'string', default: 'postgres' },
    plant: { type: 'string' },
    millis: { type: 'string', default: '2000' },
  },
});
const [runs, seed, millis] = [Number(values.runs), Number(values.seed), Number(values.millis)];
const { level, store, plant } = values;
if (!(Number.isSafeInteger(runs) && runs > 0 && Number.isSafeInteger(seed) && millis > 0))
  throw new Error('--runs, --millis: positive integers; --seed: an integer');
if (!(level === 'http' || level === 'store') || !(store === 'postgres' || store === 'lmdb'))
  throw new Error('--level: http or store; --store: postgres or lmdb');
if (plant !== undefined && !plants.has(plant)) throw new Error(`--plant: one of ${[...plants.keys()].join(', ')}`);

const SHRINK_MILLIS = 8_000;
const COMPILED = fileURLToPath(new URL('../../', import.meta.url));
const program = plant === undefined ? COMPILED : plantBug(plant, COMPILED);
console.log(`${runs} runs from seed ${seed}, ${level} on ${store}${plant === undefined ? '' : `, planted: ${plant}`}`);
const began = performance.now();
const bench = await openBench(program, level, store);
const totals = { runs: 0, answered: 0, unknown: 0, refused: 0, faults: 0, violations: 0, undecided: 0 };
try {
  for (let i = 0; i < runs && !(plant !== undefined && totals.violations > 0); i++) {
    const run = await bench.run(seed + i, millis);
    totals.runs += 1;
    totals.faults += run.faults.length;
    for (const name of ['answered', 'unknown', 'refused'] as const) totals[name] += run.tally[name];
    report(run);
  }
} finally {
  await bench.stop();
}
console.log(`${JSON.stringify(totals)}, ${Math.round((performance.now() - began) / 1_000)} s`);
if (plant === undefined) process.exitCode = totals.violations + totals.undecided > 0 ? 1 : 0;
else {
  console.log(totals.violations > 0 ? `caught in run ${totals.runs}` : 'NOT caught');
  process.exitCode = totals.violations > 0 ? 0 : 1;
}

function report(run: Run): void {
  const { tally, faults } = run;
  const outcome = run.findings.length === 0 ? 'as promised' : `${run.findings.length} NOT as promised`;
  console.log(
    `  seed ${run.seed}: ${tally.answered} answered, ${tally.unknown} unknown, ${tally.refused} refused; ${faults.map(({ kind }) => kind).join(', ')}: ${outcome}`,
  );
  for (const finding of run.findings) {
    totals[finding.verdict.kind === 'violation' ? 'violations' : 'undecided'] += 1;
    const window = finding.window(SHRINK_MILLIS);
    const file = join(tmpdir(), `keyhold-history-${level}-${store}-${plant ?? 'sound'}-${run.seed}.json`);
    writeFileSync(
      file,
      `${JSON.stringify({ seed: run.seed, level, store, plant, faults, ...finding, window }, undefined, 1)}\n`,
    );
    const known = window.filter(({ outcome }) => outcome !== undefined);
    console.log(`    ${finding.subject}: ${finding.verdict.kind}; ${file}`);
    for (const { called, outcome, node, input } of known)
      console.log(`      ${called}–${outcome?.at} node ${node} ${JSON.stringify(input)} → ${outcome?.output}`);
  }
}
