import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { check } from '../checker.ts';
import type { Model } from '../history.ts';
import { type Line, operations } from '../testing.ts';
import { familyModel } from './family.ts';
import { type PolicyInput, policyModel } from './policy.ts';
import { secretsModel } from './secrets.ts';
import { type Program, spentBy, transactionsModel } from './transactions.ts';
import { usesModel } from './uses.ts';

const verdict = <S, I>(model: Model<S, I>, lines: readonly Line<I>[]): string =>
  check(model, operations(lines), { until: performance.now() + 20_000 }).kind;

describe('models', () => {
  const say = <S, I>(model: Model<S, I>, lines: readonly (readonly [I, string])[], expected = 'linearizable'): void => {
    assert.equal(
      verdict(
        model,
        lines.map(([input, output], i) => [input, 2 * i, 2 * i + 1, output]),
      ),
      expected,
    );
  };

  test('a folder of secrets', () => {
    const [put, get] = [
      (value: number, cas?: number) =>
        ({ do: 'write', name: 'a', value, ...(cas === undefined ? {} : { cas }) }) as const,
      { do: 'read', name: 'a' } as const,
    ];
    say(secretsModel, [
      [get, 'none'],
      [{ do: 'list' }, ''],
      [put(1, 0), 'version 1'],
      [put(2, 0), 'conflict'],
      [put(3), 'version 2'],
      [put(4, 2), 'version 3'],
      [get, '3:4'],
      [{ do: 'list' }, 'a'],
      [{ do: 'delete', name: 'a' }, 'done'],
      [get, '3:deleted'],
      [{ do: 'list' }, 'a'],
      [put(5, 3), 'version 4'],
      [{ do: 'remove', name: 'a' }, 'done'],
      [get, 'none'],
      [{ do: 'list' }, ''],
      [{ do: 'delete', name: 'a' }, 'done'],
      [put(6), 'version 1'],
    ]);
    say(
      secretsModel,
      [
        [put(1), 'version 1'],
        [{ do: 'list' }, ''],
      ],
      'violation',
    );
  });

  test('a policy', () => {
    const [permit, forbid, remove, see] = (['permit', 'forbid', 'remove', 'see'] as const).map((what) => ({
      do: what,
    }));
    assert.ok(permit !== undefined && forbid !== undefined && remove !== undefined && see !== undefined);
    const use = (value: number) => ({ do: 'use', value }) as const;
    say(policyModel, [
      [use(1), 'refused'],
      [permit, 'done'],
      [use(2), 'permitted'],
      [see, '2'],
      [forbid, 'done'],
      [use(3), 'refused'],
      [see, '2'],
      [permit, 'done'],
      [remove, 'done'],
      [use(4), 'refused'],
    ]);
    say(
      policyModel,
      [
        [permit, 'done'],
        [forbid, 'done'],
        [use(1), 'permitted'],
      ],
      'violation',
    );
    const late: readonly Line<PolicyInput>[] = [
      [permit, 1, 2, 'done'],
      [use(1), 3, 12, 'permitted'],
      [forbid, 4, 5, 'done'],
      [see, 6, 7, '0'],
    ];
    assert.equal(verdict(policyModel, late), 'violation', 'a write that was permitted before comes later');
    assert.equal(verdict(policyModel, late.slice(0, 3)), 'linearizable');
  });

  test('a family of tokens', () => {
    const [parent, child] = (['parent', 'child'] as const).map((who) => (what: 'create' | 'revoke' | 'use') => ({
      do: what,
      who,
    }));
    assert.ok(parent !== undefined && child !== undefined);
    const write = (who: 'parent' | 'child', value: number) => ({ do: 'write', who, value }) as const;
    say(familyModel, [
      [child('create'), 'refused'],
      [parent('create'), 'done'],
      [parent('create'), 'taken'],
      [child('create'), 'done'],
      [child('use'), 'served'],
      [write('child', 1), 'served'],
      [parent('revoke'), 'done'],
      [child('use'), 'refused'],
      [write('child', 2), 'refused'],
      [{ do: 'see' }, '1'],
      [parent('create'), 'done'],
      [write('parent', 3), 'served'],
      [child('use'), 'refused'],
      [child('create'), 'taken'],
      [child('revoke'), 'done'],
      [child('create'), 'done'],
    ]);
    say(
      familyModel,
      [
        [parent('create'), 'done'],
        [child('create'), 'done'],
        [parent('revoke'), 'done'],
        [child('use'), 'served'],
      ],
      'violation',
    );
  });

  test('counted uses', () => {
    const use = { do: 'use' } as const;
    say(usesModel, [
      [use, 'refused'],
      [{ do: 'create', uses: 3 }, 'done'],
      [use, 'served'],
      [{ do: 'ask' }, 'refused'],
      [use, 'served'],
      [use, 'refused'],
      [{ do: 'create', uses: 1 }, 'done'],
      [{ do: 'create', uses: 1 }, 'taken'],
      [{ do: 'revoke' }, 'done'],
      [use, 'refused'],
    ]);
    assert.equal(
      verdict(usesModel, [
        [{ do: 'create', uses: 2 }, 1, 2, 'done'],
        [use, 3],
        [use, 4],
        [use, 5, 6, 'served'],
        [use, 7, 8, 'refused'],
      ]),
      'linearizable',
    );
    say(
      usesModel,
      [
        [{ do: 'create', uses: 1 }, 'done'],
        [use, 'served'],
        [use, 'served'],
      ],
      'violation',
    );
  });

  test('a transaction whose outcome is unknown: all of it, what it had spent, or nothing', () => {
    const program: Program = [
      { do: 'put', key: 'a/x', value: 1_000 },
      { do: 'spend', key: 'a/x', first: 3_000 },
      { do: 'put', key: 'c', value: 2_000 },
    ];
    const look: Program = [{ do: 'getMany', keys: ['a/x', 'c'] }];
    for (const [tried, seen, expected] of [
      [program, '1001,2000', 'linearizable'],
      [program, '1001,none', 'linearizable'],
      [program, 'none,none', 'linearizable'],
      [program, 'none,2000', 'violation'],
      [program, '1000,none', 'violation'],
      [spentBy(program), '1001,none', 'linearizable'],
      [spentBy(program), 'none,none', 'linearizable'],
      [spentBy(program), '1001,2000', 'violation'],
    ] as const) {
      assert.ok(tried !== undefined);
      assert.equal(
        verdict(transactionsModel, [
          [tried, 1],
          [look, 2, 3, seen],
        ]),
        expected,
        seen,
      );
    }
    assert.equal(spentBy(look), undefined);
  });

  test('transactions', () => {
    say(transactionsModel, [
      [
        [
          { do: 'put', key: 'a/x', value: 1_000 },
          { do: 'add', key: 'a/x', first: 2_000 },
          { do: 'get', key: 'a/x' },
        ],
        '1001 1001',
      ],
      [
        [
          { do: 'spend', key: 'b/y', first: 5_000 },
          { do: 'delete', key: 'a/x' },
          { do: 'demand', key: 'a/x' },
        ],
        '5000 thrown',
      ],
      [
        [
          { do: 'getMany', keys: ['a/x', 'b/y', 'c'] },
          { do: 'list', prefix: '', after: '', limit: 9 },
        ],
        '1001,5000,none a/,b/',
      ],
      [
        [
          { do: 'count', key: 'c', start: 'a', end: 'c', from: 7_000 },
          { do: 'range', start: 'a', end: 'd', limit: 2 },
        ],
        'a/x=1001,b/y=5000',
      ],
      [
        [
          { do: 'range', start: 'b', end: 'd', limit: 9 },
          { do: 'list', prefix: 'a/', after: '', limit: 9 },
        ],
        'b/y=5000,c=7002 x',
      ],
      [[{ do: 'list', prefix: '', after: 'a/', limit: 1 }], 'b/'],
    ]);
  });
});
