import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mannWhitney } from './mann-whitney.ts';

const near = (actual: number, expected: number): void =>
  assert.ok(Math.abs(actual - expected) < 5e-4, `${actual} is not ${expected}`);

test('the test of Mann and Whitney tells apart what is apart', () => {
  // Worked out by hand: U is 200, 190 and 50 of 400 pairs, its standard deviation 37.
  const first = Array.from({ length: 20 }, (_, i) => i);
  near(mannWhitney(first, first), 1);
  near(
    mannWhitney(
      first,
      first.map((value) => value + 0.5),
    ),
    0.787,
  );
  near(
    mannWhitney(
      first,
      first.map((value) => value + 10),
    ),
    5e-5,
  );
  near(mannWhitney([1, 1, 1], [1, 1, 1]), 1);
});
