import type { Random } from '../faults/random.ts';
import type { Deterministic, Operation } from './history.ts';

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
export function linearizableHistory<S, I>(
  model: Deterministic<S, I>,
  wish: Wish<I>,
  random: Random,
): readonly Operation<I>[] {
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
    const after = model.apply(state, input);
    if (!lost || random.once(2)) state = after.state;
    const outcome = lost ? undefined : { at, output: after.output };
    history.push({ client, node: 0, input, called, outcome });
    free[client] = at;
  }
  return history;
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

/** `[input, called, answered, output]`; without an answer the outcome is unknown. */
export type Line<I> = readonly [input: I, called: number, at?: number, output?: string];

/** One operation of a client of its own for each line. */
export const operations = <I>(lines: readonly Line<I>[]): readonly Operation<I>[] =>
  lines.map(([input, called, at, output], client) => ({
    client,
    node: 0,
    input,
    called,
    outcome: at === undefined ? undefined : { at, output: output ?? '' },
  }));
