import type { Random } from '../faults/random.ts';
import { check, type Verdict } from './checker.ts';
import type { Answered, Model, Operation } from './history.ts';
import { persistently } from './nodes/node.ts';
import { shrink } from './shrink.ts';

/**
 * What became of an input. `refused`: it was not done and never will be; `unknown`: nobody can tell; `unread`: a read of
 * it failed, so it was not done, but what it had spent until then may be gone. A word that is no
 * output of the model, such as that of an unexpected status, is an answer too, and one that the model cannot explain.
 */
export type Result =
  | { readonly kind: 'answered'; readonly output: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unread' }
  | { readonly kind: 'refused' };

/** An object that clients use through nodes of type N, with the model of what it does. */
export interface Subject<N, S, I> {
  readonly name: string;
  readonly model: Model<S, I>;
  input(random: Random): I;
  /** The input that stands for what counts of this one even where it is not done; undefined where nothing does. */
  spent(input: I): I | undefined;
  /** What is asked of every node in the end. */
  readonly looks: readonly I[];
  send(node: N, input: I): Promise<Result>;
}

/** Orders what happens in one run: each moment has a tick of its own. */
export class Ticks {
  #last = 0;

  next(): number {
    this.#last += 1;
    return this.#last;
  }
}

/** A promise that was broken, or that could not be checked in time. */
export interface Finding {
  readonly subject: string;
  readonly verdict: Verdict<unknown>;
  readonly history: readonly Operation<unknown>[];
  /** What is needed of the history to see it; looks for about so long. */
  window(millis: number): readonly Operation<unknown>[];
}

export interface Tally {
  answered: number;
  unknown: number;
  refused: number;
}

/** A subject with the history of one run. */
export interface Track<N> {
  readonly tally: Readonly<Tally>;
  /** One operation, recorded. */
  step(client: number, node: N, place: number, random: Random): Promise<keyof Tally>;
  /** The last questions, each until it is answered: all faults are over by then. */
  look(node: N, place: number): Promise<void>;
  /** Undefined where the history is as promised. */
  check(millis: number): Finding | undefined;
}

/** Who asks the last questions. */
const LAST_CLIENT = -1;

export function track<N, S, I>(subject: Subject<N, S, I>, ticks: Ticks): Track<N> {
  const { name, model } = subject;
  const history: Operation<I>[] = [];
  const tally: Tally = { answered: 0, unknown: 0, refused: 0 };
  const record = async (client: number, node: N, place: number, input: I): Promise<keyof Tally> => {
    const called = ticks.next();
    const result = await subject.send(node, input);
    const counts = result.kind === 'unread' ? subject.spent(input) : input;
    const kind = result.kind !== 'unread' ? result.kind : counts === undefined ? 'refused' : 'unknown';
    tally[kind] += 1;
    if (kind === 'refused' || counts === undefined) return kind;
    const outcome: Answered | undefined =
      result.kind === 'answered' ? { at: ticks.next(), output: result.output } : undefined;
    history.push({ client, node: place, input: counts, called, outcome });
    return kind;
  };
  return {
    tally,
    step: (client, node, place, random) => record(client, node, place, subject.input(random)),
    async look(node, place) {
      for (const input of subject.looks) {
        await persistently(async () => {
          const kind = await record(LAST_CLIENT, node, place, input);
          if (kind !== 'answered') throw new Error(`${name}: ${kind}, though all faults are over`);
        });
      }
    },
    check(millis) {
      const verdict = check(model, history, { until: performance.now() + millis });
      if (verdict.kind === 'linearizable') return undefined;
      const window = (millis: number) =>
        verdict.kind === 'violation' ? shrink(model, history, verdict.operation, millis) : [];
      return { subject: name, verdict, history, window };
    },
  };
}
