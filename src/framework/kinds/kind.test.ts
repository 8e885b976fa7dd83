import assert from 'node:assert/strict';
import { describe as group, test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { scanJson } from '../json/index.ts';
import { describe, int, jsonObject, jsonValue, nullable, optional, string, stringMap } from './index.ts';

const nothing = scanJson('null');
const refused = (run: () => unknown, sentence: RegExp): void =>
  assert.throws(
    run,
    (error: unknown) => error instanceof ServiceError && error.status === 400 && sentence.test(error.message),
  );

group('given or not', () => {
  test('null counts as not given: refused, or the default', () => {
    for (const value of [undefined, nothing]) {
      refused(() => int().parse('field', value), /^field: is required$/);
      assert.equal(int(0).parse('field', value), 0);
      assert.equal(string('').parse('field', value), '');
      assert.equal(optional(int()).parse('field', value), undefined);
      refused(() => jsonValue().parse('field', value), /^field: is required$/);
    }
    assert.deepEqual(
      [int().required, int(0).required, string('').required, optional(int()).required, nullable(int()).required],
      [true, false, false, false, false],
    );
  });

  test('optional and nullable read what is given, and refuse as their kind does', () => {
    for (const kind of [optional(int()), nullable(int()), optional(int(5)), describe(nullable(int()), 'x')]) {
      assert.equal(kind.parse('field', scanJson('7')), 7);
      refused(() => kind.parse('field', scanJson('"x"')), /^field: must be a whole number/);
    }
  });

  test('nullable tells null from absence', () => {
    assert.equal(nullable(int(5)).parse('field', nothing), null);
    assert.equal(nullable(int(5)).parse('field', undefined), undefined);
  });

  test('schemas', () => {
    assert.deepEqual(optional(int(5)).schema, { type: 'integer' });
    assert.deepEqual(nullable(int(5, { min: 0 })).schema, { type: 'integer', minimum: 0, nullable: true });
    const described = describe(int(5), 'How many.');
    assert.deepEqual(described.schema, { type: 'integer', default: 5, description: 'How many.' });
    assert.equal(described.parse('field', undefined), 5);
    assert.deepEqual(stringMap().schema, { type: 'object', additionalProperties: { type: 'string' } });
    assert.deepEqual(jsonObject().schema, { type: 'object', additionalProperties: true });
    assert.deepEqual(jsonValue().schema, {});
  });
});

group('stringMap', () => {
  test('scalars become strings, in order, under any name', () => {
    const map = stringMap().parse(
      'field',
      scanJson('{"n":123,"10":1.50,"2":true,"__proto__":"x","constructor":false,"":""}'),
    );
    assert.deepEqual(
      [...map],
      [
        ['n', '123'],
        ['10', '1.50'],
        ['2', '1'],
        ['__proto__', 'x'],
        ['constructor', '0'],
        ['', ''],
      ],
    );
    assert.equal(stringMap().parse('field', scanJson('{}')).size, 0);
    assert.equal(stringMap(new Map()).parse('field', undefined).size, 0);
  });

  test('everything else is refused', () => {
    for (const json of ['"x"', '1', 'true', '[]', '["a"]'])
      refused(() => stringMap().parse('field', scanJson(json)), /^field: must be a JSON object$/);
    for (const json of ['{"a":null}', '{"a":{}}', '{"a":["b"]}'])
      refused(() => stringMap().parse('field', scanJson(json)), /^field, a value: must be a string$/);
    refused(() => stringMap().parse('field', scanJson('{"\\ud800":"x"}')), /^field, a name: not valid Unicode/);
    refused(() => stringMap().parse('field', scanJson('{"x":"\\ud800"}')), /^field, a value: not valid Unicode/);
  });
});

group('JSON kept as it is', () => {
  test('an object', () => {
    assert.equal(jsonObject().parse('field', scanJson('{"n": 1.10}')).text, '{"n": 1.10}');
    for (const json of ['[]', '"{}"', '1', 'false'])
      refused(() => jsonObject().parse('field', scanJson(json)), /^field: must be a JSON object$/);
  });

  test('any value', () => {
    for (const json of ['{}', '[1]', '"x"', '1.0', 'false'])
      assert.equal(jsonValue().parse('field', scanJson(json)).text, json);
  });
});
