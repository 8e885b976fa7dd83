import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { History, type Version } from './history.ts';

const all = (history: History): readonly (Version | undefined)[] =>
  Array.from({ length: history.length }, (_, i) => history.at(i));

const time = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const version: fc.Arbitrary<Version> = fc.record(
  { created: time, deletion: time, destroyed: fc.constant<true>(true) },
  { requiredKeys: ['created'], noNullPrototype: true },
);

describe('history', () => {
  test('is as a plain list, and what was given out before never changes', () => {
    const change = fc.tuple(fc.array(version, { minLength: 1, maxLength: 3 }), fc.nat(), fc.boolean());
    const grows = fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      let history = History.none;
      let list: readonly Version[] = [];
      for (const [versions, seed, replace] of changes) {
        const [old, before] = [history, all(history)];
        if (replace && list.length > 0) {
          const wanted = new Map(versions.map((one, i) => [(seed + i) % list.length, one]));
          history = history.replace(wanted);
          list = list.map((one, i) => wanted.get(i) ?? one);
        } else {
          for (const one of versions) {
            const dropped = seed % (list.length + 1);
            history = history.append(one, dropped);
            list = [...list.slice(dropped), one];
          }
        }
        assert.deepEqual(all(history), list);
        assert.deepEqual(all(new History(Buffer.from(history.bytes))), list);
        assert.deepEqual(all(old), before);
      }
    });
    fc.assert(grows);
  });

  test('has nothing before its first and behind its last version', () => {
    const history = History.none.append({ created: 1 }, 0).append({ created: 2, deletion: 0 }, 0);
    assert.deepEqual(history.at(0), { created: 1 });
    assert.deepEqual(history.at(1), { created: 2, deletion: 0 });
    for (const index of [-1, 2, 0.5, Number.NaN, 2 ** 53]) assert.equal(history.at(index), undefined);
    assert.throws(() => new History(history.bytes.subarray(1)), /whole versions/);
  });
});
