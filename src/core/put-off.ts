/** What failed and is tried again later, with longer and longer pauses. */
const FIRST_MILLIS = 5_000;
const LONGEST_MILLIS = 60 * 60 * 1_000;

/** Beyond these a thing is tried at each look: that costs work, and nothing else. */
const MOST = 1_000;

export class PutOff {
  readonly #clock: () => number;
  readonly #things = new Map<string, { readonly failures: number; readonly until: number }>();

  /** @param clock monotonic milliseconds */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  isDue(thing: string): boolean {
    const found = this.#things.get(thing);
    return found === undefined || found.until <= this.#clock();
  }

  /** Says that something failed. */
  add(thing: string): void {
    const failures = (this.#things.get(thing)?.failures ?? 0) + 1;
    this.#things.delete(thing);
    if (this.#things.size >= MOST) return;
    const pause = Math.min(FIRST_MILLIS * 2 ** (failures - 1), LONGEST_MILLIS);
    this.#things.set(thing, { failures, until: this.#clock() + pause });
  }
}
