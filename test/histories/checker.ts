import { type Configuration, Frontier } from './frontier.ts';
import type { Answered, Model, Operation } from './history.ts';

/** What a check came to. A history that could not be decided in time has not passed. */
export type Verdict<I> =
  | { readonly kind: 'linearizable' }
  | { readonly kind: 'undecided'; readonly why: string }
  | {
      readonly kind: 'violation';
      /** The first answer that no order explains. */
      readonly operation: Operation<I>;
      /** The states that were possible when it came. */
      readonly states: readonly string[];
    };

export interface Bounds {
  /** By `performance.now()`. */
  readonly until: number;
  /** Configurations looked at for one answer. */
  readonly most?: number;
}

const MOST_CONFIGURATIONS = 400_000;

/** An operation in flight that will be answered. */
interface Flying<I> {
  readonly operation: Operation<I>;
  readonly outcome: Answered;
  readonly bit: bigint;
  /** The same for operations that can stand for each other. */
  readonly kind: string;
}

/** An operation that was never answered. */
interface Lost<I> {
  readonly input: I;
  readonly bit: bigint;
  readonly kind: string;
}

/**
 * Whether the history of one object is linearizable (Herlihy and Wing 1990): whether each operation can have taken
 * effect at one moment between its call and its answer, so that all answers are those of the model.
 *
 * As Wing and Gong's search in the just-in-time form of Lowe ("Testing for linearizability", 2017): events are gone
 * through in order with the set of all that may be true (state, operations in flight that took effect), and an operation
 * takes effect when an answer demands it. Three things keep the set small, none of which can change the verdict: an answered
 * operation that reads takes effect as soon as its answer is right; of operations that can stand for each other, the one that
 * is answered first goes first; and what `Frontier` leaves out.
 */
export function check<S, I>(
  model: Model<S, I>,
  operations: readonly Operation<I>[],
  { until, most = MOST_CONFIGURATIONS }: Bounds,
): Verdict<I> {
  const kindOf = (input: I, output?: string): string => JSON.stringify([input, output]);
  const slots = new Slots();
  let flying: readonly Flying<I>[] = [];
  const lost: Lost<I>[] = [];
  let possible: readonly Configuration<S>[] = [
    { state: model.initial, name: model.name(model.initial), done: 0n, used: 0n },
  ];
  for (const { operation, called } of eventsOf(operations)) {
    const { input, outcome } = operation;
    if (outcome === undefined) {
      if (!model.reads(input, undefined)) lost.push({ input, bit: 1n << BigInt(lost.length), kind: kindOf(input) });
      continue;
    }
    if (called) {
      const one = { operation, outcome, bit: slots.take(), kind: kindOf(input, outcome.output) };
      flying = [...flying, one].sort((a, b) => a.outcome.at - b.outcome.at);
      continue;
    }
    const [answered] = flying;
    if (answered === undefined) throw new Error('an answer comes behind its call');
    const step = advance(model, possible, flying, lost, { until, most });
    if (step === undefined) return { kind: 'undecided', why: `${operations.length} operations` };
    if (step.length === 0)
      return { kind: 'violation', operation: answered.operation, states: [...new Set(possible.map((c) => c.name))] };
    possible = step;
    flying = flying.slice(1);
    slots.give(answered.bit);
  }
  return { kind: 'linearizable' };
}

/** All that may be true once the first operation in flight has taken effect; undefined where the bounds were met. */
function advance<S, I>(
  model: Model<S, I>,
  possible: readonly Configuration<S>[],
  flying: readonly Flying<I>[],
  lost: readonly Lost<I>[],
  { until, most }: Required<Bounds>,
): readonly Configuration<S>[] | undefined {
  const answered = flying[0]?.bit ?? 0n;
  const after = new Frontier<S>();
  const seen = new Frontier<S>();
  const open: Configuration<S>[] = [];
  const reach = (state: S, name: string, done: bigint, used: bigint): void => {
    let all = done;
    for (const { operation, outcome, bit } of flying) {
      if ((all & bit) !== 0n || !model.reads(operation.input, outcome.output)) continue;
      if (model.next(state, operation.input, outcome.output).length > 0) all |= bit;
    }
    if ((all & answered) !== 0n) after.add({ state, name, done: all & ~answered, used });
    else {
      const reached = { state, name, done: all, used };
      if (seen.add(reached)) open.push(reached);
    }
  };
  for (const { state, name, done, used } of possible) reach(state, name, done, used);
  for (let looked = 1; ; looked++) {
    const at = open.pop();
    if (at === undefined) return after.all();
    if (looked > most || ((looked === 1 || looked % 64 === 0) && performance.now() > until)) return undefined;
    const tried = new Set<string>();
    for (const { operation, outcome, bit, kind } of flying) {
      if ((at.done & bit) !== 0n || tried.has(kind)) continue;
      tried.add(kind);
      for (const state of model.next(at.state, operation.input, outcome.output))
        reach(state, model.name(state), at.done | bit, at.used);
    }
    for (const { input, bit, kind } of lost) {
      if ((at.used & bit) !== 0n || tried.has(kind)) continue;
      tried.add(kind);
      for (const state of model.next(at.state, input, undefined)) {
        const name = model.name(state);
        if (name !== at.name) reach(state, name, at.done, at.used | bit);
      }
    }
  }
}

/** Calls and answers in their order. */
function eventsOf<I>(
  operations: readonly Operation<I>[],
): readonly { readonly operation: Operation<I>; readonly called: boolean; readonly at: number }[] {
  return operations
    .flatMap((operation) => [
      { operation, called: true, at: operation.called },
      ...(operation.outcome === undefined ? [] : [{ operation, called: false, at: operation.outcome.at }]),
    ])
    .sort((a, b) => a.at - b.at || Number(b.called) - Number(a.called));
}

/** Bits that are used again once they are given back. */
class Slots {
  readonly #free: bigint[] = [];
  #next = 1n;

  take(): bigint {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    const bit = this.#next;
    this.#next <<= 1n;
    return bit;
  }

  give(bit: bigint): void {
    this.#free.push(bit);
  }
}
