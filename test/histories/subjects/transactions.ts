import type { Random } from '../../faults/random.ts';
import { VALUE_STEP } from '../models/transaction-facts.ts';
import { type Program, type Step, spentBy, transactionsModel } from '../models/transactions.ts';
import type { StoreNode } from '../nodes/store-node.ts';
import type { Subject } from '../track.ts';

const KEYS = ['a/w', 'a/x', 'b/y', 'b/z', 'c'] as const;
const BOUNDS = ['a', 'a/x', 'b', 'b/z', 'd'] as const;

/** A look at all records. */
const ALL: Program = [{ do: 'range', start: 'a', end: 'd', limit: 99 }];

/**
 * Random transactions over five records. Most of them read before they write, so that they depend on each other. Some
 * look at all records and change nothing: with these the checker need not keep in mind for long what may have been.
 */
export function transactionInput(): (random: Random) => Program {
  let values = 0;
  const value = (): number => {
    values += 1;
    return values * VALUE_STEP;
  };
  const pair = (random: Random): { start: string; end: string } => {
    const from = random.below(BOUNDS.length - 1);
    return { start: BOUNDS[from] ?? '', end: BOUNDS[from + 1 + random.below(BOUNDS.length - 1 - from)] ?? '' };
  };
  const step = (random: Random): Step => {
    const key = random.pick(KEYS);
    switch (random.below(12)) {
      case 0:
      case 1:
        return { do: 'get', key };
      case 2:
        return { do: 'getMany', keys: [key, random.pick(KEYS)] };
      case 3:
        return { do: 'range', ...pair(random), limit: 1 + random.below(4) };
      case 4:
        return { do: 'list', prefix: random.pick(['', 'a/', 'b/']), after: '', limit: 1 + random.below(4) };
      case 5:
      case 6:
        return { do: 'put', key, value: value() };
      case 7:
        return { do: 'add', key, first: value() };
      case 8:
        return { do: 'count', key, ...pair(random), from: value() };
      case 9:
        return { do: 'delete', key };
      case 10:
        return { do: 'spend', key, first: value() };
      default:
        return { do: 'demand', key };
    }
  };
  return (random) => (random.once(4) ? ALL : Array.from({ length: 1 + random.below(5) }, () => step(random)));
}

export function transactions(name: string): Subject<StoreNode, unknown, Program> {
  return {
    name,
    model: transactionsModel,
    spent: spentBy,
    input: transactionInput(),
    looks: [ALL],
    send: (node, program) => node.run(`${name}/`, program),
  };
}
