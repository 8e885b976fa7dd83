import type { FactRules } from './facts.ts';

/** One operation of one client, as it was seen from outside. Moments are ticks of one counter: they order, no more. */
export interface Operation<I> {
  readonly client: number;
  /** The node that it was sent to. */
  readonly node: number;
  readonly input: I;
  readonly called: number;
  /** Undefined where no answer came: it may have taken effect at any time since the call, or may yet, or never. */
  readonly outcome: Answered | undefined;
}

/** An answer, in words that the model of the object would use. */
export interface Answered {
  readonly at: number;
  readonly output: string;
}

/** What an object does that is used by one client at a time. States are values: none is changed. */
export interface Model<S, I> {
  readonly initial: S;
  /**
   * Every state that the input may lead to where it gives this output; none where it cannot give it. Without an output,
   * every state that it may lead to at all.
   */
  next(state: S, input: I, output: string | undefined): readonly S[];
  /** The same text for the same state, and for no other. */
  name(state: S): string;
  /** Whether the input, where it gives this output (or whatever it gives), leaves every state as it is. */
  reads(input: I, output: string | undefined): boolean;
  /** Not needed for a verdict, but for a quick one where values are unlike. */
  readonly facts?: FactRules<S, I>;
}

/** A model whose next state and output are determined by the state and the input. */
export interface Deterministic<S, I> extends Model<S, I> {
  apply(state: S, input: I): { readonly state: S; readonly output: string };
}

export function deterministic<S, I>(parts: Omit<Deterministic<S, I>, 'next'>): Deterministic<S, I> {
  return {
    ...parts,
    next: (state, input, output) => {
      const after = parts.apply(state, input);
      return output === undefined || output === after.output ? [after.state] : [];
    },
  };
}
