/**
 * The database's clock as this node knows it: its last reading, and the time that has passed here since. A reading is
 * old by its way to here, so this is never ahead of the database; and it never goes back.
 */
export class DatabaseClock {
  readonly #passed: () => number;
  #reading = 0;
  #readAt = 0;
  #last = 0;

  /** `passed`: monotonic milliseconds. A machine's own time of day plays no part. */
  constructor(passed: () => number = () => performance.now()) {
    this.#passed = passed;
  }

  /** Takes a reading, in milliseconds since 1970, that has just come in. */
  learn(reading: number): void {
    this.#reading = reading;
    this.#readAt = this.#passed();
  }

  /** Milliseconds since 1970. */
  now(): number {
    this.#last = Math.max(this.#last, Math.floor(this.#reading + this.#passed() - this.#readAt));
    return this.#last;
  }
}
