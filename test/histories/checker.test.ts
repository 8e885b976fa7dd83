import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Random } from '../faults/random.ts';
import { type CellInput, cellInput, cellModel } from './cell.ts';
import { check } from './checker.ts';
import { deterministic, type Model, type Operation } from './history.ts';
import { familyModel } from './models/family.ts';
import { type PolicyInput, policyModel } from './models/policy.ts';
import { secretsModel } from './models/secrets.ts';
import { transactionsModel } from './models/transactions.ts';
import { usesModel } from './models/uses.ts';
import { shrink } from './shrink.ts';
import { linearizableHistory, tampered } from './testing.ts';

const soon = (): { until: number } => ({ until: performance.now() + 20_000 });

/** `[input, called, answered, output]`; without an answer the outcome is unknown. */
type Line<I> = readonly [input: I, called: number, at?: number, output?: string];

const operations = <I>(lines: readonly Line<I>[]): readonly Operation<I>[] =>
  lines.map(([input, called, at, output], client) => ({
    client,
    node: 0,
    input,
    called,
    outcome: at === undefined ? undefined : { at, output: output ?? '' },
  }));

const verdict = <S, I>(model: Model<S, I>, lines: readonly Line<I>[]): string =>
  check(model, operations(lines), soon()).kind;

const write = (value: number): CellInput => ({ do: 'write', value });
const cas = (from: number, value: number): CellInput => ({ do: 'cas', from, value });
const read: CellInput = { do: 'read' };

describe('histories of one cell', () => {
  for (const [what, expected, lines] of [
    ['nothing', true, []],
    [
      'a read of what was written',
      true,
      [
        [write(1), 1, 2, 'done'],
        [read, 3, 4, '1'],
      ],
    ],
    [
      'a read of what was there before',
      false,
      [
        [write(1), 1, 2, 'done'],
        [read, 3, 4, '0'],
      ],
    ],
    [
      'a read beside a write: old',
      true,
      [
        [write(1), 1, 4, 'done'],
        [read, 2, 3, '0'],
      ],
    ],
    [
      'a read beside a write: new',
      true,
      [
        [write(1), 1, 4, 'done'],
        [read, 2, 3, '1'],
      ],
    ],
    [
      'new, then old, beside one write',
      false,
      [
        [write(1), 1, 9, 'done'],
        [read, 2, 3, '1'],
        [read, 4, 5, '0'],
      ],
    ],
    [
      'two that read two writes in two orders',
      false,
      [
        [write(1), 1, 20, 'done'],
        [write(2), 2, 21, 'done'],
        [read, 3, 4, '1'],
        [read, 5, 6, '2'],
        [read, 3, 7, '2'],
        [read, 8, 9, '1'],
      ],
    ],
    [
      'an unknown write that is seen much later',
      true,
      [
        [write(1), 1],
        [read, 3, 4, '0'],
        [read, 50, 51, '1'],
      ],
    ],
    [
      'an unknown write that is never seen',
      true,
      [
        [write(1), 1],
        [read, 3, 4, '0'],
        [read, 50, 51, '0'],
      ],
    ],
    [
      'an unknown write that is seen and unseen',
      false,
      [
        [write(1), 1],
        [read, 3, 4, '1'],
        [read, 5, 6, '0'],
      ],
    ],
    [
      'an unknown write that is seen twice over another',
      false,
      [
        [write(1), 1],
        [read, 3, 4, '1'],
        [write(2), 5, 6, 'done'],
        [read, 7, 8, '1'],
      ],
    ],
    [
      'two equal unknown writes that are seen twice over another',
      true,
      [
        [write(1), 1],
        [write(1), 2],
        [read, 3, 4, '1'],
        [write(2), 5, 6, 'done'],
        [read, 7, 8, '1'],
      ],
    ],
    [
      'an unknown write that is seen before it was begun',
      false,
      [
        [read, 1, 2, '1'],
        [write(1), 3],
      ],
    ],
    [
      'two that compare and set the same',
      false,
      [
        [cas(0, 1), 1, 4, 'done'],
        [cas(0, 2), 2, 5, 'done'],
      ],
    ],
    [
      'one of two that compare and set',
      true,
      [
        [cas(0, 1), 1, 4, 'conflict'],
        [cas(0, 2), 2, 5, 'done'],
      ],
    ],
    [
      'a conflict with nothing',
      false,
      [
        [cas(0, 1), 1, 4, 'conflict'],
        [read, 5, 6, '0'],
      ],
    ],
    [
      'a conflict with an unknown write that nobody saw',
      true,
      [
        [write(3), 1],
        [cas(0, 1), 2, 4, 'conflict'],
      ],
    ],
    [
      'a call in the tick of an answer, which is beside it',
      true,
      [
        [write(1), 1, 3, 'done'],
        [read, 3, 4, '0'],
      ],
    ],
  ] as readonly (readonly [string, boolean, readonly Line<CellInput>[]])[]) {
    test(`${what}: ${expected ? 'possible' : 'impossible'}`, () => {
      assert.equal(verdict(cellModel, lines), expected ? 'linearizable' : 'violation');
    });
  }
});

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

  test('transactions', () => {
    say(transactionsModel, [
      [
        [
          { do: 'put', key: 'a/x', value: 1 },
          { do: 'add', key: 'a/x', amount: 2 },
          { do: 'get', key: 'a/x' },
        ],
        '3 3',
      ],
      [
        [
          { do: 'spend', key: 'b/y', amount: 5 },
          { do: 'delete', key: 'a/x' },
          { do: 'demand', key: 'a/x' },
        ],
        '5 thrown',
      ],
      [
        [
          { do: 'getMany', keys: ['a/x', 'b/y', 'c'] },
          { do: 'list', prefix: '', after: '', limit: 9 },
        ],
        '3,5,none a/,b/',
      ],
      [
        [
          { do: 'count', key: 'c', start: 'a', end: 'c' },
          { do: 'range', start: 'a', end: 'd', limit: 2 },
        ],
        'a/x=3,b/y=5',
      ],
      [
        [
          { do: 'range', start: 'b', end: 'd', limit: 9 },
          { do: 'list', prefix: 'a/', after: '', limit: 9 },
        ],
        'b/y=5,c=2 x',
      ],
      [[{ do: 'list', prefix: '', after: 'a/', limit: 1 }], 'b/'],
    ]);
  });
});

describe('what cannot be decided in time has not passed', () => {
  test('no time', () => {
    const history = operations<CellInput>([
      [write(1), 1, 9, 'done'],
      [read, 2, 3, '1'],
    ]);
    assert.equal(check(cellModel, history, { until: performance.now() - 1 }).kind, 'undecided');
  });

  test('too much', () => {
    const sums = deterministic<number, number>({
      initial: 0,
      name: String,
      reads: (amount) => amount === 0,
      apply: (sum, amount) => ({ state: sum + amount, output: amount === 0 ? String(sum) : 'done' }),
    });
    const lines: Line<number>[] = Array.from({ length: 20 }, (_, i) => [2 ** i, i]);
    const history = operations([...lines, [0, 30, 31, '-1']]);
    assert.equal(check(sums, history, { ...soon(), most: 1_000 }).kind, 'undecided');
  });
});

/** By definition: some order of all answered and any of the other operations, that keeps the order of time, is the model's. */
function possible<S, I>(model: Model<S, I>, history: readonly Operation<I>[], state = model.initial): boolean {
  const answers = history.flatMap(({ outcome }) => outcome?.at ?? []);
  if (answers.length === 0) return true;
  const first = Math.min(...answers);
  return history.some(
    (one) =>
      one.called <= first &&
      model.next(state, one.input, one.outcome?.output).some((next) =>
        possible(
          model,
          history.filter((other) => other !== one),
          next,
        ),
      ),
  );
}

describe('random histories', () => {
  test('of up to eight operations are judged as by trying all orders', () => {
    const counts = new Map<string, number>();
    for (let seed = 1; seed <= 1_500; seed++) {
      const random = new Random(seed);
      const wish = { operations: 3 + random.below(6), clients: 2 + random.below(3), lostOnceIn: 4, input: cellInput };
      const good = linearizableHistory(cellModel, wish, random);
      assert.equal(check(cellModel, good, soon()).kind, 'linearizable', `seed ${seed}`);
      const other = tampered(tampered(good, random), random);
      const expected = possible(cellModel, other) ? 'linearizable' : 'violation';
      assert.equal(check(cellModel, other, soon()).kind, expected, `seed ${seed}: ${JSON.stringify(other)}`);
      counts.set(expected, (counts.get(expected) ?? 0) + 1);
    }
    assert.ok(
      (counts.get('linearizable') ?? 0) > 300 && (counts.get('violation') ?? 0) > 300,
      JSON.stringify([...counts]),
    );
  });

  test('are shrunk to what is needed to see that they are impossible', () => {
    let [before, after] = [0, 0];
    for (let seed = 1; seed <= 20; seed++) {
      const random = new Random(seed);
      const wish = { operations: 120, clients: 5, lostOnceIn: 20, input: cellInput };
      const history = tampered(linearizableHistory(cellModel, wish, random), random);
      const found = check(cellModel, history, soon());
      if (found.kind !== 'violation') continue;
      const small = shrink(cellModel, history, found.operation, 5_000);
      assert.equal(check(cellModel, small, soon()).kind, 'violation');
      before += history.length;
      after += small.filter(({ outcome }) => outcome !== undefined).length;
    }
    assert.ok(before > 500 && after < before / 10, `${after} of ${before}`);
  });
});
