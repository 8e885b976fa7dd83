import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { skip } from '../../src/storage/postgres/testing/server.ts';
import { filesWith, plantBug, plants } from './plants.ts';
import { openBench } from './run.ts';

const COMPILED = fileURLToPath(new URL('../../', import.meta.url));
const LOAD_MILLIS = 600;

// Mostly they wait, for pauses and for the database.
describe('histories under faults', { concurrency: true }, () => {
  for (const [level, store, seed] of [
    ['store', 'lmdb', 5],
    ['store', 'postgres', 5],
    ['http', 'lmdb', 5],
    ['http', 'postgres', 5],
  ] as const) {
    test(`can be explained: ${level} on ${store}`, {
      skip: store === 'postgres' && skip,
      timeout: 120_000,
    }, async () => {
      const bench = await openBench(COMPILED, level, store);
      try {
        const { findings, tally, faults } = await bench.run(seed, LOAD_MILLIS);
        assert.deepEqual(findings, []);
        assert.ok(tally.answered >= 100, JSON.stringify(tally));
        assert.ok(faults.length >= 3);
      } finally {
        await bench.stop();
      }
    });
  }

  test('cannot where a bug is planted', { timeout: 120_000 }, async () => {
    const bench = await openBench(plantBug('skip-one-key', COMPILED), 'store', 'lmdb');
    try {
      let found = 0;
      for (let seed = 1; found === 0 && seed <= 10; seed++)
        found = (await bench.run(seed, LOAD_MILLIS)).findings.length;
      assert.ok(found > 0);
    } finally {
      await bench.stop();
    }
  });
});

test('every bug can be planted in the program as it is', () => {
  for (const name of plants.keys()) assert.ok(filesWith(name, COMPILED).size > 0);
});
