import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { address, integer, type Kind, oneOf, path, processes, type Raw, text, toggle, tokenText } from './kinds.ts';

const CASES: readonly [string, Kind<unknown>, readonly [Raw, unknown][]][] = [
  [
    'toggle',
    toggle,
    [
      ...(['1', 't', 'T', 'true', 'True', 'TRUE', true, 1] as const).map((raw): [Raw, unknown] => [raw, true]),
      ...(['0', 'f', 'F', 'false', 'False', 'FALSE', false, 0] as const).map((raw): [Raw, unknown] => [raw, false]),
      ...(['yes', 'on', '', ' true', 'tRUE', 2, 1.5, -1] as const).map((raw): [Raw, unknown] => [raw, undefined]),
    ],
  ],
  [
    'integer',
    integer(-1, 20),
    [
      ['7', 7],
      [7, 7],
      [-1, -1],
      ['20', 20],
      [21, undefined],
      [-2, undefined],
      [1.5, undefined],
      ['1.5', undefined],
      ['1e1', undefined],
      ['0x1', undefined],
      ['', undefined],
      [' 1', undefined],
      ['+1', undefined],
      [true, undefined],
      [Number.NaN, undefined],
      [Number.POSITIVE_INFINITY, undefined],
    ],
  ],
  [
    'text',
    text(3),
    [
      ['abc', 'abc'],
      ['äöü', 'äöü'],
      ['abcd', undefined],
      ['', undefined],
      ['a\n', undefined],
      ['a\u0085', undefined],
      [1, undefined],
    ],
  ],
  [
    'tokenText',
    tokenText(4),
    [
      ['root', 'root'],
      ['A-_9', 'A-_9'],
      ['roots', undefined],
      ['s.aa', undefined],
      ['a b', undefined],
      ['ä', undefined],
      ['', undefined],
    ],
  ],
  [
    'path',
    path,
    [
      ['/a/../b', '/b'],
      ['x', resolve('x')],
      ['', undefined],
      ['a\0b', undefined],
      [1, undefined],
    ],
  ],
  [
    'address',
    address,
    [
      ['127.0.0.1:1', '127.0.0.1:1'],
      ['127.0.0.1', undefined],
      [8200, undefined],
    ],
  ],
  [
    'oneOf',
    oneOf(['a', 'b']),
    [
      ['a', 'a'],
      ['A', undefined],
      ['', undefined],
    ],
  ],
  [
    'processes',
    processes,
    [
      [0, undefined],
      [1, 1],
      ['64', 64],
      [65, undefined],
      ['auto', Math.min(64, availableParallelism())],
      ['Auto', undefined],
    ],
  ],
];

for (const [name, kind, cases] of CASES) {
  test(`kind ${name}`, () => {
    for (const [raw, expected] of cases) assert.equal(kind.read(raw), expected, JSON.stringify(raw));
  });
}
