import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownFailures } from './known.ts';
import type { Outcome } from './outcomes.ts';

const LIST = [
  { waitsFor: 'lids', issue: 5, cases: ['pots › a lid fits'] },
  { waitsFor: 'pans', suites: ['pans'] },
];

const outcome = (name: string, result: Outcome['result']): Outcome => ({ name, result, reason: 'because' });

test('a listed case that fails is known, all else counts as it came out', () => {
  const outcomes = [
    outcome('pots › a lid fits', 'failed'),
    outcome('pots › boil', 'passed'),
    outcome('pots › steam', 'skipped'),
  ];
  const verdict = new KnownFailures(LIST).judge(['pots'], outcomes);
  assert.deepEqual(verdict, { passed: 1, known: 1, skipped: 1, faults: [] });
});

for (const [what, outcomes, fault] of [
  ['a failure that is not listed', [outcome('pots › boil', 'failed')], /^failed: pots › boil\nbecause$/],
  ['a listed case that passes', [outcome('pots › a lid fits', 'passed')], /^passed, but listed as waiting for lids: /],
  ['a listed case that is skipped', [outcome('pots › a lid fits', 'skipped')], /^skipped, but listed/],
  ['a listed case that does not exist', [], /^listed, but there is no such case: pots › a lid fits$/],
] as const) {
  test(`${what} is a fault`, () => {
    const rest = outcomes.some(({ name }) => name === 'pots › a lid fits')
      ? []
      : [outcome('pots › a lid fits', 'failed')];
    const { faults } = new KnownFailures(LIST).judge(['pots'], [...outcomes, ...(outcomes.length > 0 ? rest : [])]);
    assert.equal(faults.length, 1);
    assert.match(faults[0] ?? '', fault);
  });
}

test('what is listed of a suite that did not run is no fault', () => {
  assert.deepEqual(new KnownFailures(LIST).judge(['jugs'], []).faults, []);
});

test('the suites that do not run', () => {
  assert.deepEqual([...new KnownFailures(LIST).suites], ['pans']);
});

for (const [what, list, message] of [
  ['no array', {}, /must be an array/],
  ['an entry without a reason', [{ cases: [] }], /waitsFor/],
  ['an issue that is no number', [{ waitsFor: 'lids', issue: '5' }], /issue must be a number/],
  ['cases that are no array', [{ waitsFor: 'lids', cases: 'all' }], /cases must be an array/],
  ['a case twice', [LIST[0], LIST[0]], /listed twice: pots › a lid fits/],
] as const) {
  test(`a list is refused: ${what}`, () => {
    assert.throws(() => new KnownFailures(list), message);
  });
}
