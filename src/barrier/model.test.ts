import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { memoryStore } from '../storage/memory.ts';
import type { Barrier } from './barrier.ts';
import { isSealed, node, opened } from './testing.ts';

type Step =
  | { readonly do: 'put'; readonly key: string; readonly value: string }
  | { readonly do: 'delete' | 'get' | 'cached'; readonly key: string }
  | { readonly do: 'refused'; readonly key: string; readonly value: string }
  | { readonly do: 'scan' | 'rotate' | 'seal' | 'unseal' };

const key = fc.constantFrom('a', 'a/b', 'b', 'ä', '__proto__');
const value = fc.string({ maxLength: 20 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), key, value }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constantFrom('get' as const, 'cached' as const, 'delete' as const), key }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('refused' as const), key, value }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('scan' as const, 'rotate' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('seal' as const, 'unseal' as const) }) },
);

const decode = (plain: Buffer): string => plain.toString();

/** One step on the barrier; answers what can be seen of it. */
async function run(barrier: Barrier, keys: readonly Buffer[], step: Step): Promise<unknown> {
  switch (step.do) {
    case 'put':
      return barrier.transact((tx) => tx.put(step.key, step.value));
    case 'delete':
      return barrier.transact((tx) => tx.delete(step.key));
    case 'get':
      return barrier.transact(async (tx) => (await tx.get(step.key))?.toString());
    case 'cached':
      return barrier.transact((tx) => tx.cached(step.key, decode));
    case 'refused':
      return barrier
        .transact((tx) => {
          tx.put('dropped', 'x');
          tx.spend.put(step.key, step.value);
          throw new RangeError('refused');
        })
        .catch((error: unknown) => {
          if (!(error instanceof RangeError)) throw error;
        });
    case 'scan':
      return barrier.transact(async (tx) => {
        const entries = await tx.range({ start: '', end: 'core', limit: 100 });
        const rest = await tx.range({ start: 'd', end: '\u{10ffff}', limit: 100 });
        return [...entries, ...rest].map((entry) => [entry.key, entry.value.toString()]);
      });
    case 'rotate':
      return barrier.rotate();
    case 'seal':
      return barrier.seal();
    case 'unseal':
      for (const share of keys) await barrier.submit(share);
      return undefined;
  }
}

/** The same on a plain map. */
function model(map: Map<string, string>, step: Step): unknown {
  switch (step.do) {
    case 'put':
    case 'refused':
      map.set(step.key, step.value);
      return undefined;
    case 'delete':
      map.delete(step.key);
      return undefined;
    case 'get':
    case 'cached':
      return map.get(step.key);
    case 'scan':
      return [...map].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    default:
      return undefined;
  }
}

test('two nodes with small terms do what a plain map does, or are 503 where sealed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), step), { maxLength: 60 }), async (steps) => {
      const usage = { perTerm: 256, block: 128 };
      const store = memoryStore({ rehearse: true });
      const one = await opened(store, { usage });
      const two = await node(store, one.keys, { usage });
      const map = new Map<string, string>();
      for (const [first, step] of steps) {
        const { barrier } = first ? one : two;
        const open = step.do === 'seal' || step.do === 'unseal' || !barrier.sealed;
        if (open) assert.deepEqual(await run(barrier, one.keys, step), model(map, step));
        else await assert.rejects(run(barrier, one.keys, step), isSealed);
        if (step.do === 'seal' || step.do === 'unseal') assert.equal(barrier.sealed, step.do === 'seal');
      }
      assert.deepEqual([...one.logged, ...two.logged], []);
      assert.equal(store.contents().has('dropped'), false);
    }),
    { numRuns: 150 },
  );
});
