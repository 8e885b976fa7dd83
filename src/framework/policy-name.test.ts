import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ServiceError } from './errors.ts';

import { MAX_POLICY_NAME_LENGTH, policyName } from './policy-name.ts';

describe('names of policies', () => {
  for (const [raw, name] of [
    ['default', 'default'],
    ['Admin', 'admin'],
    ['ADMIN ', 'admin'],
    [' root', 'root'],
    ['root\t', 'root'],
    ['r\u006fot', 'root'],
    ['team-a_1.b', 'team-a_1.b'],
    ['a,b', 'a,b'],
    ['ada@example.com:x', 'ada@example.com:x'],
    ['__proto__', '__proto__'],
    ['a.b', 'a.b'],
    ['X'.repeat(MAX_POLICY_NAME_LENGTH), 'x'.repeat(MAX_POLICY_NAME_LENGTH)],
  ] as const) {
    test(JSON.stringify(raw.slice(0, 30)), () => assert.equal(policyName(raw), name));
  }

  for (const raw of [
    '',
    ' ',
    '.',
    '..',
    'a..b',
    '../root',
    'a/../../x',
    'a/b',
    '/',
    'a\\b',
    'a b',
    'a\u0000',
    'a\nb',
    '%2e%2e',
    'é',
    'ro\u200bot',
    '\u212aey',
    'ｒoot',
    'a*',
    '{{x}}',
    'x'.repeat(MAX_POLICY_NAME_LENGTH + 1),
    ' '.repeat(10_000_000),
  ]) {
    test(`${JSON.stringify(raw.slice(0, 30))} is 400`, () => {
      assert.throws(
        () => policyName(raw),
        (error: unknown) => error instanceof ServiceError && error.status === 400,
      );
    });
  }

  test('a name is its own canonical form', () => {
    for (const raw of ['A-b', ' x,Y ']) assert.equal(policyName(policyName(raw)), policyName(raw));
  });
});
