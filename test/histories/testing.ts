import type { Random } from '../faults/random.ts';
import type { Model, Operation } from './history.ts';

/** How a random history is made. */
export interface Wish<I> {
  readonly operations: number;
  readonly clients: number;
  /** One operation in so many is never answered. */
  readonly lostOnceIn: number;
  input(random: Random): I;
}

/**
 * A linearizable history, made in the order in which its operations take effect: each at a moment between its call and
 * its answer. Operations that are lost may have taken effect, or not.
 */
export function linearizableHistory<S, I>(model: Model<S, I>, wish: Wish<I>, random: Random): readonly Operation<I>[] {
  let state = model.initial;
  const free = Array.from({ length: wish.clients }, () => 0);
  const history: Operation<I>[] = [];
  for (let i = 1; i <= wish.operations; i++) {
    const effect = i * 100;
    const client = free.findIndex((since) => since < effect);
    if (client === -1) continue;
    const input = wish.input(random);
    const called = Math.max((free[client] ?? 0) + 1, effect - random.below(200 * wish.clients));
    const lost = random.once(wish.lostOnceIn);
    const at = effect + 1 + random.below(200 * wish.clients);
    const [next] = model.next(state, input, undefined);
    if (next === undefined) throw new Error('an operation without an output is always possible');
    const output = lost ? undefined : outputOf(model, state, input);
    if (!lost || random.once(2)) state = next;
    history.push({ client, node: 0, input, called, outcome: output === undefined ? undefined : { at, output } });
    free[client] = at;
  }
  return history;
}

/** Outputs that the models of these tests have. */
const OUTPUTS = ['done', 'none', 'conflict', ...Array.from({ length: 40 }, (_, i) => String(i))];

function outputOf<S, I>(model: Model<S, I>, state: S, input: I): string {
  const output = OUTPUTS.find((output) => model.next(state, input, output).length > 0);
  if (output === undefined) throw new Error('the model has no output that is known here');
  return output;
}

/** The history with one answer taken from another operation: usually impossible, sometimes not. */
export function tampered<I>(history: readonly Operation<I>[], random: Random): readonly Operation<I>[] {
  const outputs = history.flatMap(({ outcome }) => outcome?.output ?? []);
  const victim = random.below(history.length);
  return history.map((one, i) =>
    i === victim && one.outcome !== undefined
      ? { ...one, outcome: { ...one.outcome, output: random.pick(outputs) } }
      : one,
  );
}
