import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../errors.ts';
import { maxDepth, maxValues, mergePatch, scanJson } from './index.ts';

const merge = (target: string, patch: string) => mergePatch(scanJson(target), scanJson(patch));

type Plain = null | boolean | number | string | Plain[] | { [name: string]: Plain };

/** RFC 7396, section 2, word for word on parsed values: the oracle. */
function plainMerge(target: Plain | undefined, patch: Plain): Plain {
  if (patch === null || typeof patch !== 'object' || Array.isArray(patch)) return patch;
  const known = target !== null && typeof target === 'object' && !Array.isArray(target) ? target : {};
  const merged = new Map(Object.entries(known));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, plainMerge(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

describe('merge patch (RFC 7396)', () => {
  const cases: readonly (readonly [target: string, patch: string, merged: string])[] = [
    // RFC 7396, appendix A: its rows whose two sides are objects.
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
    // What stays keeps its digits, order and spelling.
    [
      '{"n":98765432109876543210,"10":1.10, "\\u0041" : [ 1 ],"2":-0}',
      '{"10":2.0,"z":1e3}',
      '{"n":98765432109876543210,"10":2.0,"\\u0041":[ 1 ],"2":-0,"z":1e3}',
    ],
    ['{"\\u0041":1}', '{"A":2}', '{"\\u0041":2}'],
    // Lists are replaced whole and keep their nulls, also those of objects inside.
    ['{"a":[1,2]}', '{"a":[null,{"b":null}]}', '{"a":[null,{"b":null}]}'],
    ['{"a":1}', '{"a":{"b":null,"c":{"d":null,"e":2}}}', '{"a":{"c":{"e":2}}}'],
    ['{"a":null,"b":{"c":null}}', '{}', '{"a":null,"b":{"c":null}}'],
    ['{"a":{"x":1}}', '{"a":{}}', '{"a":{"x":1}}'],
    // Odd names, and of duplicates the last.
    [
      '{"__proto__":{"a":1},"constructor":2}',
      '{"__proto__":{"b":3},"constructor":null}',
      '{"__proto__":{"a":1,"b":3}}',
    ],
    ['{"a":1,"a":2,"b":3}', '{}', '{"a":2,"b":3}'],
    ['{"a":1}', '{"a":null,"a":{"x":1},"a":{"y":2}}', '{"a":{"y":2}}'],
    ['{"a":1}', '{"a":5,"a":null}', '{}'],
  ];
  for (const [target, patch, merged] of cases) {
    test(`${target} + ${patch}`, () => assert.equal(merge(target, patch), merged));
  }

  test('means what the RFC means, on any two objects', () => {
    const names = fc.constantFrom('a', 'b', '10', '2', 'toString', '');
    const { value } = fc.letrec<{ value: Plain; object: { [name: string]: Plain } }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<Plain>(null, 1, 'x', true),
        fc.array(tie('value'), { maxLength: 3 }),
        tie('object'),
      ),
      object: fc.dictionary(names, tie('value'), { maxKeys: 5, noNullPrototype: true }),
    }));
    const object = fc.dictionary(names, value, { maxKeys: 5, noNullPrototype: true });
    fc.assert(
      fc.property(object, object, (target, patch) => {
        const merged: unknown = JSON.parse(merge(JSON.stringify(target), JSON.stringify(patch)));
        assert.deepEqual(merged, plainMerge(target, patch));
      }),
      { numRuns: 1_000 },
    );
  });

  test('works at the limit of depth', () => {
    const nested = (depth: number, core: string) => '{"a":'.repeat(depth - 1) + core + '}'.repeat(depth - 1);
    const merged = merge(nested(maxDepth, '{"b":1}'), nested(maxDepth, '{"c":2}'));
    assert.equal(merged, nested(maxDepth, '{"b":1,"c":2}'));
    assert.equal(merge('{}', nested(maxDepth, '{"c":null}')), nested(maxDepth, '{}'));
  });

  test('refuses a result that could not be read again', () => {
    const object = (name: string, count: number) =>
      `{${Array.from({ length: count }, (_, i) => `"${name}${i}":0`).join(',')}}`;
    assert.ok(merge(object('a', maxValues / 2), object('b', maxValues / 2)).length > maxValues);
    assert.throws(
      () => merge(object('a', maxValues / 2), object('b', maxValues / 2 + 1)),
      (error: unknown) => error instanceof ServiceError && error.status === 400,
    );
  });

  test('copies a long value once, however deep it lies', () => {
    const depth = 500;
    const nested = (core: string) => '{"a":'.repeat(depth) + core + '}'.repeat(depth);
    const long = JSON.stringify('x'.repeat(2 << 20));
    const start = performance.now();
    const merged = merge(nested(`{"b":${long}}`), nested('{"c":1}'));
    assert.equal(merged, nested(`{"b":${long},"c":1}`));
    assert.ok(performance.now() - start < 1_000);
  });
});
