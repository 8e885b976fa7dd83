import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Model } from './model.ts';
import { TestMount } from './mount.ts';
import { compare, PURGE, reads, step } from './steps.ts';

test('random requests: the engine answers, and stores, what the model does', async () => {
  let waiting = 0;
  const runs = fc.asyncProperty(
    fc.array(fc.tuple(step, fc.constantFrom(0, 0, 1, 999, 1000, 2000)), { minLength: 10, maxLength: 40, size: 'max' }),
    // So few writes at once that most removals are left to jobs, and so many that none is.
    fc.constantFrom(0, 1, 2, 900),
    async (steps, maxWrites) => {
      const mount = new TestMount(maxWrites);
      const model = new Model();
      for (const [request, pause] of steps) {
        if (request === PURGE) await mount.purge();
        else await compare(mount, model, request);
        mount.now += pause;
        for (const read of reads) await compare(mount, model, read);
        if (mount.purges > 0) waiting += 1;
        else assert.deepEqual(mount.data(), model.stored());
      }
      await mount.purge();
      assert.deepEqual(mount.data(), model.stored());
    },
  );
  await fc.assert(runs, { numRuns: 200 });
  assert.ok(waiting > 100, `after ${waiting} steps a purge waited`);
});
