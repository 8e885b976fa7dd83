/**
 * What answers tell of the states that they were given in, for models whose values tell where they come from. A fact that
 * is needed later, does not hold, and whose maker has taken effect already will never hold: the checker need not go on.
 */
export interface FactRules<S, I> {
  /** Facts that hold in every state in which the input gives this output, each with the name of what makes it hold. */
  needs(input: I, output: string): readonly { readonly fact: string; readonly maker: string }[];
  /** Names of makers that the input may be, each of them of one input of a history. */
  makes(input: I): readonly string[];
  holds(state: S, fact: string): boolean;
}

/** An operation as the checker numbers it: each call and each answer has a moment of its own. */
export interface Span<I> {
  readonly input: I;
  readonly called: number;
  /** Undefined where it was never answered. */
  readonly answered: { readonly at: number; readonly output: string } | undefined;
  /** Among those in flight, or among those never answered. */
  readonly bit: bigint;
}

interface Needed {
  readonly fact: string;
  readonly maker: Span<unknown> | undefined;
  /** Bit of who needs it, and is in flight; 0 for those that are called later. */
  readonly by: bigint;
}

/** The facts of one history. */
export class Facts<S, I> {
  readonly #rules: FactRules<S, I>;
  /** Moments of the answers. */
  readonly #at: readonly number[];
  /** For each answer what those need who are answered then or later, as far as its maker has been called. */
  readonly #needed: readonly (readonly Needed[])[];

  /** @param at the moments of all answers, in order */
  constructor(rules: FactRules<S, I>, spans: readonly Span<I>[], at: readonly number[]) {
    this.#rules = rules;
    this.#at = at;
    const makers = new Map(spans.flatMap((span) => rules.makes(span.input).map((name) => [name, span] as const)));
    const needs = spans.flatMap(({ input, called, answered, bit }) =>
      answered === undefined
        ? []
        : rules
            .needs(input, answered.output)
            .map(({ fact, maker }) => ({ fact, maker: makers.get(maker), called, answered: answered.at, bit })),
    );
    this.#needed = at.map((tick) => {
      const now = needs.filter(({ answered, maker }) => answered >= tick && (maker?.called ?? 0) <= tick);
      const flying = now.flatMap((one) => (one.called <= tick ? [{ ...one, by: one.bit }] : []));
      const later = new Map(now.flatMap((one) => (one.called > tick ? [[one.fact, { ...one, by: 0n }] as const] : [])));
      return [...flying, ...later.values()];
    });
  }

  /** Whether something that is still needed at this answer can never hold. `done` and `used` are of a configuration. */
  lost(place: number, state: S, done: bigint, used: bigint): boolean {
    const tick = this.#at[place] ?? 0;
    return (this.#needed[place] ?? []).some(
      ({ fact, maker, by }) =>
        (done & by) === 0n && hasActed(maker, tick, done, used) && !this.#rules.holds(state, fact),
    );
  }
}

function hasActed(maker: Span<unknown> | undefined, tick: number, done: bigint, used: bigint): boolean {
  if (maker === undefined) return true;
  const { answered, bit } = maker;
  if (answered === undefined) return (used & bit) !== 0n;
  return answered.at < tick || (done & bit) !== 0n;
}
