import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../errors.ts';
import { scanJson } from '../json/index.ts';
import { duration, formatDuration, parseDuration } from './index.ts';

const isRefusal = (error: unknown): boolean =>
  error instanceof ServiceError && error.status === 400 && error.message.startsWith('ttl: must be a duration');

describe('reading a duration (document 1, convention 6)', () => {
  const second = 1_000;
  const hour = 3_600 * second;
  const accepted: readonly (readonly [json: string, ms: number])[] = [
    ['0', 0],
    ['-0', 0],
    ['60', 60 * second],
    ['-5', -5 * second],
    ['""', 0],
    ['"0"', 0],
    ['"60"', 60 * second],
    ['"+5"', 5 * second],
    ['"-5"', -5 * second],
    ['"007"', 7 * second],
    ['"60s"', 60 * second],
    ['"1m"', 60 * second],
    ['"1h"', hour],
    ['"1h30m"', 1.5 * hour],
    ['"1.5h"', 1.5 * hour],
    ['".5h"', hour / 2],
    ['"5.h"', 5 * hour],
    ['"+5s"', 5 * second],
    ['"-1s"', -second],
    ['"-0s"', 0],
    ['"10s10s"', 20 * second],
    ['"2d"', 48 * hour],
    ['"1d12h"', 36 * hour],
    ['"1.5d"', 36 * hour],
    ['"-1d"', -24 * hour],
    ['"90m"', 1.5 * hour],
    ['"3h25m19s"', 12_319 * second],
    ['"120000ms"', 120 * second],
    ['"1ns"', 1e-6],
    ['"1us"', 1e-3],
    ['"1µs"', 1e-3],
    ['"1μs"', 1e-3],
    ['"1\\u00b5s"', 1e-3],
    ['"1m1ms"', 60_001],
    ['"0.1ns"', 0],
    ['9223372036', 9_223_372_036 * second],
    ['"-9223372036"', -9_223_372_036 * second],
    ['"9223372036854ms"', 9_223_372_036_854],
    [`"${'0'.repeat(127)}5"`, 5 * second],
  ];
  for (const [json, ms] of accepted) {
    test(`${json.slice(0, 30)} is ${ms} ms`, () => assert.equal(duration().parse('ttl', scanJson(json)), ms));
  }

  const bad = [
    '1.5',
    '1e3',
    '10.0',
    'true',
    '[]',
    '{}',
    '[60]',
    '"soon"',
    '"1x"',
    '"1 h"',
    '" 1h"',
    '"1h "',
    '" "',
    '"h"',
    '"s"',
    '"-"',
    '"+"',
    '"."',
    '".s"',
    '"-.h"',
    '"--1s"',
    '"+-1s"',
    '"60.5"',
    '"1h30"',
    '"5minutes"',
    '"1h-5m"',
    '"1w"',
    '"1H"',
    '"1M"',
    '"1_000"',
    '"1_000s"',
    '"0x10"',
    '"0x10s"',
    '"1e3s"',
    '"1,5h"',
    '"1..5h"',
    '"٣s"',
    '"３s"',
    '"1h\\n"',
    '"1h\\u0000"',
    '"Infinity"',
    '"NaN"',
    '9223372037',
    '"-9223372037"',
    '"106752d"',
    '"2562048h"',
    '"9223372036855ms"',
    `"${'9'.repeat(128)}"`,
    `"${'0'.repeat(128)}5"`,
    `"${'1s'.repeat(65)}"`,
  ];
  for (const json of bad) {
    test(`${json.slice(0, 30)} is refused`, () =>
      assert.throws(() => duration().parse('ttl', scanJson(json)), isRefusal));
  }

  test('the longest text is read in no time', () => {
    for (const text of ['1'.repeat(1 << 20), '.'.repeat(128), `${'1'.repeat(127)}x`, `${'1s'.repeat(63)}1`]) {
      const start = performance.now();
      assert.throws(() => parseDuration('ttl', text), isRefusal);
      assert.ok(performance.now() - start < 500);
    }
  });

  test('required without a default, which the schema shows', () => {
    assert.throws(() => duration().parse('ttl', undefined), /ttl: is required/);
    assert.equal(duration(90_000).parse('ttl', undefined), 90_000);
    assert.deepEqual(duration(90_000).schema, { type: 'string', format: 'duration', default: '1m30s' });
  });
});

describe('writing a duration', () => {
  for (const [ms, text] of [
    [0, '0s'],
    [-0, '0s'],
    [1e-6, '1ns'],
    [0.000999, '999ns'],
    [0.001, '1µs'],
    [0.0015, '1.5µs'],
    [0.999999, '999.999µs'],
    [1, '1ms'],
    [2, '2ms'],
    [1.000001, '1.000001ms'],
    [999, '999ms'],
    [1_000, '1s'],
    [1_500, '1.5s'],
    [-1_000, '-1s'],
    [-1.5, '-1.5ms'],
    [59_999, '59.999s'],
    [60_000, '1m0s'],
    [90_000, '1m30s'],
    [3_599_000, '59m59s'],
    [3_600_000, '1h0m0s'],
    [5_400_000, '1h30m0s'],
    [129_600_000, '36h0m0s'],
    [3_600_000.000001, '1h0m0.000000001s'],
    [-12_319_000, '-3h25m19s'],
    [9_223_372_036_000, '2562047h47m16s'],
  ] as const) {
    test(`${ms} ms is ${text}`, () => assert.equal(formatDuration(ms), text));
  }

  test('what is written is read back', () => {
    fc.assert(
      fc.property(fc.integer({ min: -9_223_372_036_854, max: 9_223_372_036_854 }), fc.nat(999_999), (ms, ns) => {
        // Beyond 2^33 ms a double no longer tells nanoseconds apart.
        const given = Math.abs(ms) < 2 ** 32 ? ms + Math.sign(ms) * (ns / 1e6) : ms;
        assert.equal(parseDuration('ttl', formatDuration(given)), given === 0 ? 0 : given);
      }),
      { numRuns: 2_000 },
    );
  });
});
