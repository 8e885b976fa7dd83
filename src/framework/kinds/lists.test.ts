import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { jsonString, maxValues, scanJson } from '../json/index.ts';
import { intList, type Kind, stringList } from './index.ts';

const refused = (kind: Kind<unknown>, json: string, sentence: RegExp): void =>
  assert.throws(
    () => kind.parse('field', scanJson(json)),
    (error: unknown) => error instanceof ServiceError && error.status === 400 && sentence.test(error.message),
  );

describe('stringList', () => {
  for (const [json, list] of [
    ['[]', []],
    ['""', []],
    ['["a","b"]', ['a', 'b']],
    ['"a,b"', ['a', 'b']],
    ['" a , b "', ['a', 'b']],
    ['"a"', ['a']],
    ['[" a "]', ['a']],
    ['["a,b"]', ['a,b']],
    ['[1,1.50,true,false,""]', ['1', '1.50', '1', '0', '']],
    ['7', ['7']],
    ['true', ['1']],
    ['"a,,b,"', ['a', '', 'b', '']],
    ['","', ['', '']],
    ['"é😀"', ['é😀']],
  ] as const) {
    test(json, () => assert.deepEqual(stringList().parse('field', scanJson(json)), list));
  }
  for (const json of ['{}', '{"a":1}'])
    test(json, () => refused(stringList(), json, /^field: must be a list of strings/));
  for (const json of ['[[]]', '[{}]', '[null]', '["a",["b"]]']) {
    test(json, () => refused(stringList(), json, /^field, an element: must be a string$/));
  }

  test('a text has a limited number of elements', () => {
    const commas = (count: number) => jsonString(','.repeat(count - 1));
    assert.equal(stringList().parse('field', commas(maxValues)).length, maxValues);
    assert.throws(
      () => stringList().parse('field', commas(maxValues + 1)),
      /^ServiceError: field: must have at most 150000 elements$/,
    );
  });

  test('default and schema', () => {
    assert.deepEqual(stringList(['code']).parse('field', undefined), ['code']);
    assert.deepEqual(stringList(['code']).schema, { type: 'array', items: { type: 'string' }, default: ['code'] });
    assert.throws(() => stringList().parse('field', undefined), /field: is required/);
  });
});

describe('intList', () => {
  for (const [json, list] of [
    ['[]', []],
    ['""', []],
    ['[1]', [1]],
    ['["1"]', [1]],
    ['1', [1]],
    ['"1,2"', [1, 2]],
    ['"1, -2"', [1, -2]],
    ['[1,"2",0]', [1, 2, 0]],
  ] as const) {
    test(json, () => assert.deepEqual(intList().parse('field', scanJson(json)), list));
  }
  for (const json of ['["one"]', '"one"', '[""]', '"1,"', '","', '[1.5]', '["1,2"]', '1e3', '"010"']) {
    test(json, () => refused(intList(), json, /^field, an element: must be a whole number, such as/));
  }
  for (const json of ['{}', 'true'])
    test(json, () => refused(intList(), json, /^field: must be a whole number, or a list/));
  for (const json of ['[true]', '[null]', '[[1]]', '[{}]']) {
    test(json, () => refused(intList(), json, /^field, an element: must be a whole number/));
  }
});
