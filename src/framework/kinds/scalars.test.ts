import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { scanJson } from '../json/index.ts';
import { bool, enumOf, int, type Kind, string } from './index.ts';

/** Each text is read as the value beside it. */
function accepts<T>(kind: Kind<T>, rows: readonly (readonly [json: string, value: T])[]): void {
  for (const [json, value] of rows) {
    test(`${json} is ${JSON.stringify(value)}`, () => assert.equal(kind.parse('field', scanJson(json)), value));
  }
}

/** Each text is a 400 that names the field and repeats no value. */
function refuses(kind: Kind<unknown>, rows: readonly string[], sentence: RegExp): void {
  for (const json of rows) {
    test(`${json} is refused`, () => {
      assert.throws(
        () => kind.parse('field', scanJson(json)),
        (error: unknown) => {
          assert.ok(error instanceof ServiceError && error.status === 400);
          assert.match(error.message, sentence);
          return true;
        },
      );
    });
  }
}

describe('int', () => {
  accepts(int(), [
    ['7', 7],
    ['"7"', 7],
    ['0', 0],
    ['-0', 0],
    ['"-0"', 0],
    ['-7', -7],
    ['"-7"', -7],
    ['"+7"', 7],
    ['""', 0],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['"9007199254740991"', 9007199254740991],
  ]);
  refuses(
    int(),
    ['9007199254740992', '-9007199254740992', '123456789012345678901234567890', '"9007199254740993"'],
    /^field: must lie within/,
  );
  refuses(
    int(),
    [
      '1.5',
      '7.0',
      '1e3',
      '"1e3"',
      '"7.0"',
      '"0x10"',
      '"1_000"',
      '"007"',
      '"010"',
      '" 7"',
      '"7 "',
      '"7\\n"',
      '"٧"',
      '"--7"',
      '"+"',
      '"-"',
      '"x"',
      'true',
      '[]',
      '[7]',
      '{}',
    ],
    /^field: must be a whole number, such as 7 or "7"$/,
  );
});

describe('int with bounds', () => {
  accepts(int(5, { min: 1, max: 10 }), [
    ['1', 1],
    ['10', 10],
    ['null', 5],
  ]);
  refuses(int(5, { min: 1, max: 10 }), ['0', '""', '-1'], /^field: must be at least 1$/);
  refuses(int(5, { min: 1, max: 10 }), ['11', '"11"'], /^field: must be at most 10$/);
  accepts(int(0, { min: 0 }), [['9007199254740991', 9007199254740991]]);
  test('schema', () => {
    assert.deepEqual(int(5, { min: 1, max: 10 }).schema, { type: 'integer', minimum: 1, maximum: 10, default: 5 });
    assert.deepEqual(int(0).schema, { type: 'integer', default: 0 });
    assert.deepEqual(int().schema, { type: 'integer' });
  });
});

describe('bool', () => {
  accepts(bool(), [
    ...['true', '1', '"1"', '"t"', '"T"', '"true"', '"True"', '"TRUE"'].map((json) => [json, true] as const),
    ...['false', '0', '"0"', '"f"', '"F"', '"false"', '"False"', '"FALSE"', '""'].map((json) => [json, false] as const),
  ]);
  refuses(
    bool(),
    [
      '"yes"',
      '"no"',
      '"on"',
      '2',
      '-1',
      '-0',
      '1.0',
      '1e0',
      '"2"',
      '"tRUE"',
      '" true"',
      '"true "',
      '[]',
      '{}',
      '[true]',
    ],
    /^field: must be true or false$/,
  );
});

describe('string', () => {
  accepts(string(), [
    ['"x"', 'x'],
    ['""', ''],
    ['" a "', ' a '],
    ['"é\\n😀"', 'é\n😀'],
    ['123', '123'],
    ['1.50', '1.50'],
    ['12345678901234567890', '12345678901234567890'],
    ['true', '1'],
    ['false', '0'],
    ['"\\u0000"', '\u0000'],
  ]);
  refuses(string(), ['[]', '{}', '["x"]'], /^field: must be a string$/);
  refuses(string(), ['"\\ud800"'], /^field: not valid Unicode/);
  refuses(string(), ['null'], /^field: is required$/);
});

describe('enumOf', () => {
  const mode = enumOf(['query', 'form_post', '1'], 'query');
  accepts(mode, [
    ['"query"', 'query'],
    ['"form_post"', 'form_post'],
    ['1', '1'],
    ['null', 'query'],
  ]);
  refuses(mode, ['"Query"', '""', '"toString"', '"query "'], /^field: must be one of "query", "form_post", "1"$/);
  refuses(mode, ['[]', '{}'], /^field: must be a string$/);
  test('schema', () =>
    assert.deepEqual(mode.schema, { type: 'string', enum: ['query', 'form_post', '1'], default: 'query' }));
});
