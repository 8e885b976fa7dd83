/** What may be true at one moment of a history. */
export interface Configuration<S> {
  readonly state: S;
  /** Of the state, by the model. */
  readonly name: string;
  /** Bits of the operations in flight, by their slots, that have taken effect already. */
  readonly done: bigint;
  /** Bits of the operations without an outcome, by their numbers, that have taken effect. */
  readonly used: bigint;
}

/**
 * Configurations of which none can do less than another: of two with the same state and the same operations done, the one
 * that has used fewer of those without an outcome can do all that the other can, so the other is left out.
 */
export class Frontier<S> {
  readonly #groups = new Map<string, Configuration<S>[]>();

  /** False where another one can do as much. */
  add(added: Configuration<S>): boolean {
    const key = `${added.done.toString(36)} ${added.name}`;
    const group = this.#groups.get(key);
    if (group === undefined) {
      this.#groups.set(key, [added]);
      return true;
    }
    if (group.some(({ used }) => (used & added.used) === used)) return false;
    const kept = group.filter(({ used }) => (used & added.used) !== added.used);
    kept.push(added);
    this.#groups.set(key, kept);
    return true;
  }

  all(): readonly Configuration<S>[] {
    return [...this.#groups.values()].flat();
  }
}
