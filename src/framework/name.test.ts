import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { scanJson } from './json/index.ts';
import { foldedName } from './name.ts';

const read = (value: unknown): string => foldedName().parse('name', scanJson(JSON.stringify(value)));

describe('names of users and roles', () => {
  for (const [given, name] of [
    ['bob', 'bob'],
    ['BOB', 'bob'],
    ['_', '_'],
    ['a.b-C_9', 'a.b-c_9'],
    ['__proto__', '__proto__'],
    [7, '7'],
    ['x'.repeat(128), 'x'.repeat(128)],
  ] as const) {
    test(`${given} is ${name}`, () => assert.equal(read(given), name));
  }

  for (const bad of [
    ...[
      '',
      ' bob',
      'bob ',
      'bob\t',
      'b b',
      '.bob',
      'bob.',
      '-bob',
      'bob-',
      'b/b',
      'b@b',
      'b\u0000',
      'bób',
      'ﬀ',
      '\u212a',
    ],
    ...['x'.repeat(129), 'ＢＯＢ', 'bob\n', 'a,b', '*', '+'],
  ]) {
    test(`${JSON.stringify(bad)} is none`, () => assert.throws(() => read(bad), { status: 400 }));
  }
});
