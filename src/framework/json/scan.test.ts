import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError } from '../errors.ts';
import { maxDepth, maxValues, scanBody, scanJson } from './index.ts';

const refused = (run: () => unknown, sentence: RegExp): void => {
  assert.throws(run, (error: unknown) => {
    assert.ok(error instanceof ServiceError);
    assert.equal(error.status, 400);
    assert.match(error.message, sentence);
    return true;
  });
};

describe('a request body', () => {
  for (const body of ['', ' ', '\t\r\n ', 'null', ' null ', '{}', ' { } ']) {
    test(`${JSON.stringify(body)} is the empty object`, () => {
      const json = scanBody(Buffer.from(body));
      assert.equal(json.kind, 'object');
      assert.equal(json.text.replace(' ', ''), '{}');
    });
  }

  for (const body of ['[]', '[{"a":1}]', '"text"', '1', 'true']) {
    test(`${body} is refused`, () => refused(() => scanBody(Buffer.from(body)), /must be a JSON object/));
  }
});

describe('what is JSON', () => {
  const accepted = [
    '0',
    '-0',
    '1',
    '-1',
    '10',
    '0.0',
    '1.50',
    '1e5',
    '1E+5',
    '1e-5',
    '-0.1e05',
    '1e308',
    '1e-400',
    '0e999',
    '1.7976931348623157e308',
    '12345678901234567890',
    '9'.repeat(308),
    `0.${'0'.repeat(400)}1`,
    '1e0000001',
    'true',
    'false',
    'null',
    '""',
    '"é😀"',
    '"\\""',
    '"\\\\"',
    '"\\u0000\\/\\b\\f\\n\\r\\t"',
    '"\\uD83D\\ude00"',
    '"\\ud800"',
    '"\u007f\u2028\ufeff"',
    '[]',
    '[[],{},""]',
    '{"":{}}',
    '{"a":1,"a":2}',
    '\n[ 1 , 2 ]\t',
    '{ "a" : [ ] }',
    '[[[]],[]]',
  ];
  for (const text of accepted) {
    test(`${text.slice(0, 40)} is, and stays as it is`, () => {
      assert.equal(scanJson(text).text, text.trim());
      assert.doesNotThrow(() => JSON.parse(text));
    });
  }

  const offsets: readonly (readonly [string, number])[] = [
    ['', 0],
    [' ', 1],
    ['{', 1],
    ['[', 1],
    ['}', 0],
    [',', 0],
    ['{"a":1', 6],
    ['{"a":1,}', 7],
    ['{,}', 1],
    ['[1,]', 3],
    ['[,1]', 1],
    ['[1 2]', 3],
    ['[1}', 2],
    ['{"a":1]', 6],
    ['{"a"}', 4],
    ['{"a",1}', 4],
    ['{"a":}', 5],
    ['{a:1}', 1],
    ["{'a':1}", 1],
    ['{1:1}', 1],
    ['{"a":1 "b":2}', 7],
    ['[]]', 2],
    ['{}x', 2],
    ['1 2', 2],
    ['01', 1],
    ['-01', 2],
    ['-', 1],
    ['+1', 0],
    ['.5', 0],
    ['1.', 2],
    ['1.e1', 2],
    ['1e', 2],
    ['1e+', 3],
    ['0x10', 1],
    ['1_000', 1],
    ['NaN', 0],
    ['Infinity', 0],
    ['-Infinity', 1],
    ['nul', 0],
    ['nulls', 4],
    ['True', 0],
    ['tru e', 0],
    ['"', 1],
    ['"a', 2],
    ['"\\x"', 1],
    ['"\\', 1],
    ['"\\u12g4"', 5],
    ['"\\u12"', 5],
    ['"\\u', 3],
    ['"\n"', 1],
    ['"\u0000"', 1],
    ['"\u001f"', 1],
    ['\u00a0{}', 0],
    ['\ufeff{}', 0],
    ['/**/1', 0],
    ['a=1', 0],
    ['1e400', 0],
    ['[-1e309]', 1],
    ['9'.repeat(400), 0],
    ['1e99999999999', 0],
    ['1.8e308', 0],
    ['[[]', 3],
    ['[{]', 2],
    ['[]}', 2],
  ];
  for (const [text, offset] of offsets) {
    test(`${JSON.stringify(text.slice(0, 40))} is not`, () => {
      refused(() => scanJson(text), new RegExp(`^JSON: not valid JSON at byte ${offset}: `));
    });
  }

  test('invalid UTF-8, overlong and surrogate bytes are refused', () => {
    for (const bytes of [
      [0x22, 0xff, 0x22],
      [0x22, 0xc0, 0x80, 0x22],
      [0x22, 0xed, 0xa0, 0x80, 0x22],
      [0x22, 0xc3, 0x22],
    ]) {
      refused(() => scanJson(Buffer.from(bytes)), /not valid UTF-8/);
    }
    refused(() => scanJson('"\ud800"'), /half of a surrogate pair/);
  });

  test('offsets count bytes, and a refusal repeats nothing', () => {
    refused(() => scanJson('{"sécret":x}', 'header X'), /^header X: not valid JSON at byte 11: a value was expected$/);
  });
});

describe('limits', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  test('depth', () => {
    assert.equal(scanJson(nested(maxDepth)).text.length, 2 * maxDepth);
    refused(() => scanJson(nested(maxDepth + 1)), /at byte 512: more than 512 objects and arrays/);
    refused(() => scanJson('{"a":'.repeat(maxDepth + 1)), /more than 512/);
    refused(() => scanJson('['.repeat(100_000)), /more than 512/);
  });

  test('number of members and elements, over all containers', () => {
    const list = (count: number) => `[${Array.from({ length: count }, () => '0').join(',')}]`;
    assert.equal(scanJson(list(maxValues)).kind, 'array');
    refused(() => scanJson(list(maxValues + 1)), /more than 150000 members and elements/);
    assert.equal(scanJson(`[${list(maxValues - 3)},{"a":1}]`).kind, 'array');
    refused(() => scanJson(`[${list(maxValues - 2)},{"a":1}]`), /more than 150000/);
    const containers = (count: number) => `[${Array.from({ length: count }, () => '[]').join(',')}]`;
    assert.equal(scanJson(containers(maxValues)).kind, 'array');
    refused(() => scanJson(containers(maxValues + 1)), /more than 150000/);
  });
});
