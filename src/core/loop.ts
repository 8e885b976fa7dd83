/** Runs one thing for as long as it is asked for, never twice at once. */
export class Loop {
  readonly #once: () => Promise<void>;
  #asked = false;
  #running: Promise<void> | undefined;

  /** @param once never rejects */
  constructor(once: () => Promise<void>) {
    this.#once = once;
  }

  /** Asks for a run, and resolves when none that was asked for is left. */
  run(): Promise<void> {
    this.#asked = true;
    this.#running ??= this.#go();
    return this.#running;
  }

  /** Resolves when the run under way is through. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #go(): Promise<void> {
    while (this.#asked) {
      this.#asked = false;
      await this.#once();
    }
    // In the same turn as the last look at whether another was asked for.
    this.#running = undefined;
  }
}
