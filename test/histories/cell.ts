import type { Random } from '../faults/random.ts';
import { deterministic } from './history.ts';

/** One cell that holds a number, to try the checker with. */
export type CellInput =
  | { readonly do: 'read' }
  | { readonly do: 'write'; readonly value: number }
  | { readonly do: 'cas'; readonly from: number; readonly value: number };

export const cellModel = deterministic<number, CellInput>({
  initial: 0,
  name: String,
  reads: (input, output) => input.do === 'read' || output === 'conflict',
  apply(value, input) {
    if (input.do === 'read') return { state: value, output: String(value) };
    if (input.do === 'cas' && input.from !== value) return { state: value, output: 'conflict' };
    return { state: input.value, output: 'done' };
  },
});

/** Few values, so that histories mean something. */
export function cellInput(random: Random): CellInput {
  const value = random.below(5);
  const kind = random.below(4);
  if (kind < 2) return { do: 'read' };
  return kind === 2 ? { do: 'write', value } : { do: 'cas', from: random.below(5), value };
}
