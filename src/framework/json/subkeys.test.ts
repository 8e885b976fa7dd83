import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { maxDepth, scanJson, subkeys } from './index.ts';

describe('subkeys (document 3, Read subkeys)', () => {
  const sample = '{"foo":"abc","bar":{"baz":"def","deep":{"er":{"est":1}}},"quux":{ },"list":[{"x":1}],"nil":null}';
  const whole = '{"foo":null,"bar":{"baz":null,"deep":{"er":{"est":null}}},"quux":null,"list":null,"nil":null}';
  for (const [depth, expected] of [
    [0, whole],
    [-1, whole],
    [1, '{"foo":null,"bar":null,"quux":null,"list":null,"nil":null}'],
    [2, '{"foo":null,"bar":{"baz":null,"deep":null},"quux":null,"list":null,"nil":null}'],
    [3, '{"foo":null,"bar":{"baz":null,"deep":{"er":null}},"quux":null,"list":null,"nil":null}'],
    [4, whole],
    [9, whole],
  ] as const) {
    test(`depth ${depth}`, () => assert.equal(subkeys(scanJson(sample), depth), expected));
  }

  test('an empty secret is an empty object', () => assert.equal(subkeys(scanJson(' { } '), 0), '{}'));

  test('odd names keep their place, of duplicates the last counts', () => {
    const text = '{"10":1,"2":{"__proto__":1},"a":1,"\\u0061":{"b":0}}';
    assert.equal(subkeys(scanJson(text), 0), '{"10":null,"2":{"__proto__":null},"\\u0061":{"b":null}}');
  });

  test('works at the limit of depth', () => {
    const nested = (core: string) => '{"a":'.repeat(maxDepth - 1) + core + '}'.repeat(maxDepth - 1);
    assert.equal(subkeys(scanJson(nested('{"b":1}')), 0), nested('{"b":null}'));
    assert.equal(subkeys(scanJson(nested('{"b":1}')), 1), '{"a":null}');
  });
});
