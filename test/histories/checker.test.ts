import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Random } from '../faults/random.ts';
import { type CellInput, cellInput, cellModel } from './cell.ts';
import { check } from './checker.ts';
import { deterministic, type Model, type Operation } from './history.ts';
import { transactionsModel } from './models/transactions.ts';
import { shrink } from './shrink.ts';
import { transactionInput } from './subjects/transactions.ts';
import { type Line, linearizableHistory, operations, tampered } from './testing.ts';

const soon = (): { until: number } => ({ until: performance.now() + 20_000 });

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

  test('of transactions get the same verdict with and without what their values tell', () => {
    const { facts, ...plain } = transactionsModel;
    assert.ok(facts !== undefined);
    const counts = new Map<string, number>();
    for (let seed = 1; seed <= 300; seed++) {
      const random = new Random(seed);
      const wish = {
        operations: 10 + random.below(30),
        clients: 2 + random.below(4),
        lostOnceIn: 6,
        input: transactionInput(),
      };
      const good = linearizableHistory(transactionsModel, wish, random);
      assert.equal(check(transactionsModel, good, soon()).kind, 'linearizable', `seed ${seed}`);
      const other = tampered(good, random);
      const expected = check(plain, other, soon()).kind;
      assert.equal(check(transactionsModel, other, soon()).kind, expected, `seed ${seed}`);
      counts.set(expected, (counts.get(expected) ?? 0) + 1);
    }
    assert.ok(
      (counts.get('linearizable') ?? 0) > 20 && (counts.get('violation') ?? 0) > 100,
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
