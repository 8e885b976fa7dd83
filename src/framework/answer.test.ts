import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { RawJson, render, type Value } from './answer.ts';

describe('render', () => {
  for (const [value, text] of [
    ['a"\n\u2028', '"a\\"\\n\u2028"'],
    [0, '0'],
    [-1.5, '-1.5'],
    [1e21, '1e+21'],
    [true, 'true'],
    [null, 'null'],
    [[], '[]'],
    [{}, '{}'],
    [[1, 'a', null, false], '[1,"a",null,false]'],
    [[[1], [2, [3]]], '[[1],[2,[3]]]'],
    [{ b: 1, a: 2 }, '{"b":1,"a":2}'],
    [{ a: undefined, b: 1, c: undefined }, '{"b":1}'],
    [{ a: undefined }, '{}'],
    [[{ a: undefined, b: [{}] }], '[{"b":[{}]}]'],
    [{ 'a"b': { '': 1 } }, '{"a\\"b":{"":1}}'],
    // Raw JSON goes in as it stands, wherever it is.
    [new RawJson('12345678901234567890.10'), '12345678901234567890.10'],
    [{ data: new RawJson('{"b":1, "a":1.0}'), n: 1 }, '{"data":{"b":1, "a":1.0},"n":1}'],
    [[1, new RawJson('2.0'), [new RawJson('3.0')]], '[1,2.0,[3.0]]'],
    [{ a: { b: [{ c: new RawJson('1.0') }] }, d: undefined }, '{"a":{"b":[{"c":1.0}]}}'],
  ] as const) {
    test(text, () => assert.equal(render(value), text));
  }

  test('names that objects have are names', () => {
    const value: Value = JSON.parse('{"__proto__":{"a":1},"constructor":2,"toString":null}');
    assert.equal(render(value), '{"__proto__":{"a":1},"constructor":2,"toString":null}');
    const raw: Value = Object.fromEntries([
      ['__proto__', new RawJson('1.0')],
      ['toJSON', 'x'],
    ]);
    assert.equal(render(raw), '{"__proto__":1.0,"toJSON":"x"}');
  });

  test('what holds no raw JSON is what JSON.stringify gives', () => {
    const { tree } = fc.letrec<{ tree: Value }>((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.string({ unit: 'binary' }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(fc.string({ unit: 'binary' }), tie('tree'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        assert.equal(render(value), JSON.stringify(value));
        // A raw member makes the other way of rendering go through all of it.
        assert.equal(render({ raw: new RawJson('1.0'), value }), `{"raw":1.0,"value":${JSON.stringify(value)}}`);
        assert.equal(render([value, new RawJson('[ ]')]), `[${JSON.stringify(value)},[ ]]`);
      }),
    );
  });
});
