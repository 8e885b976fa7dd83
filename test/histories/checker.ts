import { Agenda } from './agenda.ts';
import { Facts, type Span } from './facts.ts';
import { Frontier } from './frontier.ts';
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
  /** Configurations looked at. */
  readonly most?: number;
}

const MOST_CONFIGURATIONS = 400_000;

/** An operation that is answered, with its bit among those in flight. */
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

/** An answer, and what may take effect before it. */
interface Stage<S, I> {
  /** In the order of their answers: the first one is the operation that is answered here. */
  readonly flying: readonly [Flying<I>, ...Flying<I>[]];
  readonly lost: readonly Lost<I>[];
  /** Configurations that were met here. */
  readonly seen: Frontier<S>;
}

/**
 * Whether the history of one object is linearizable (Herlihy and Wing 1990): whether each operation can have taken
 * effect at one moment between its call and its answer, so that all answers are those of the model.
 *
 * As Wing and Gong's search with remembered states, in the just-in-time form of Lowe ("Testing for linearizability", 2017):
 * an operation takes effect when the next answer demands it; `Agenda` says which way is tried first. Three things keep
 * the search small, none of which can change the verdict: an answered operation that reads takes effect as soon as its
 * answer is right; of operations that can stand for each other, the one that is answered first goes first; and what
 * `Frontier` leaves out.
 */
export function check<S, I>(
  model: Model<S, I>,
  operations: readonly Operation<I>[],
  { until, most = MOST_CONFIGURATIONS }: Bounds,
): Verdict<I> {
  const { stages, facts } = stagesOf<S, I>(model, operations);
  const agenda = new Agenda<S>();
  let farthest = 0;
  /** Goes on as far as reads allow; true where all is explained. */
  const reach = (from: number, state: S, name: string, before: bigint, used: bigint): boolean => {
    let done = before;
    for (let place = from; ; place++) {
      const stage = stages[place];
      if (stage === undefined) return true;
      farthest = Math.max(farthest, place);
      for (const { operation, outcome, bit } of stage.flying) {
        if ((done & bit) !== 0n || !model.reads(operation.input, outcome.output)) continue;
        if (model.next(state, operation.input, outcome.output).length > 0) done |= bit;
      }
      if (facts?.lost(place, state, done, used)) return false;
      const [{ bit }] = stage.flying;
      if ((done & bit) === 0n) {
        const at = { state, name, done, used };
        if (stage.seen.add(at)) agenda.add({ place, at });
        return false;
      }
      done &= ~bit;
    }
  };
  if (reach(0, model.initial, model.name(model.initial), 0n, 0n)) return { kind: 'linearizable' };
  for (let looked = 1; ; looked++) {
    const next = agenda.take();
    const stage = stages[next?.place ?? farthest];
    if (stage === undefined) throw new Error('an answer has a stage');
    if (next === undefined) {
      const states = new Set(stage.seen.all().map(({ name }) => name));
      return { kind: 'violation', operation: stage.flying[0].operation, states: [...states] };
    }
    if (looked > most || (looked % 64 === 1 && performance.now() > until)) {
      return { kind: 'undecided', why: `${looked} configurations, ${farthest} of ${stages.length} answers` };
    }
    const { place, at } = next;
    // What is pushed last is looked at first.
    for (const { input, bit } of firstOfKinds(stage.lost, at.used).reverse()) {
      for (const state of model.next(at.state, input, undefined)) {
        const name = model.name(state);
        if (name !== at.name && reach(place, state, name, at.done, at.used | bit)) return { kind: 'linearizable' };
      }
    }
    for (const { operation, outcome, bit } of firstOfKinds(stage.flying, at.done).reverse()) {
      for (const state of model.next(at.state, operation.input, outcome.output)) {
        if (reach(place, state, model.name(state), at.done | bit, at.used)) return { kind: 'linearizable' };
      }
    }
  }
}

/** Of those that have not taken effect, one of each kind. */
function firstOfKinds<T extends { readonly kind: string; readonly bit: bigint }>(
  all: readonly T[],
  taken: bigint,
): T[] {
  const kinds = new Map<string, T>();
  for (const one of all) if ((taken & one.bit) === 0n && !kinds.has(one.kind)) kinds.set(one.kind, one);
  return [...kinds.values()];
}

/** One stage for each answer, in their order. */
function stagesOf<S, I>(
  model: Model<S, I>,
  operations: readonly Operation<I>[],
): { readonly stages: readonly Stage<S, I>[]; readonly facts: Facts<S, I> | undefined } {
  const kindOf = (input: I, output?: string): string => JSON.stringify([input, output]);
  const slots = new Slots();
  const stages: Stage<S, I>[] = [];
  let flying: readonly Flying<I>[] = [];
  let lost: readonly Lost<I>[] = [];
  const spans: Span<I>[] = [];
  const at: number[] = [];
  const events = eventsOf(operations);
  const answers = new Map(events.flatMap(({ operation, called }, i) => (called ? [] : [[operation, i] as const])));
  const answeredAt = (operation: Operation<I>): number => answers.get(operation) ?? events.length;
  for (const [i, { operation, called }] of events.entries()) {
    const { input, outcome } = operation;
    if (outcome === undefined) {
      if (model.reads(input, undefined)) continue;
      const bit = 1n << BigInt(lost.length);
      lost = [...lost, { input, bit, kind: kindOf(input) }];
      spans.push({ input, called: i, answered: undefined, bit });
    } else if (called) {
      const one = { operation, outcome, bit: slots.take(), kind: kindOf(input, outcome.output) };
      flying = [...flying, one].sort((a, b) => answeredAt(a.operation) - answeredAt(b.operation));
      const answered = { at: answeredAt(operation), output: outcome.output };
      spans.push({ input, called: i, answered, bit: one.bit });
    } else {
      const [answered, ...others] = flying;
      if (answered === undefined) throw new Error('an answer comes behind its call');
      at.push(i);
      stages.push({ flying: [answered, ...others], lost, seen: new Frontier() });
      flying = others;
      slots.give(answered.bit);
    }
  }
  return { stages, facts: model.facts && new Facts(model.facts, spans, at) };
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
