/**
 * A coarse clock for deadlines and the Date header, moved on by the listener's one timer. Time in which the process stood
 * still does not count: whoever waited on us is not cut off for it.
 */
export class Clock {
  readonly #tickMillis: number;
  #last = performance.now();
  #second = -1;
  #now = 0;
  #date = '';

  constructor(tickMillis: number) {
    this.#tickMillis = tickMillis;
    this.tick();
  }

  /** Milliseconds since the clock was made. */
  get now(): number {
    return this.#now;
  }

  /** The time as an IMF-fixdate (RFC 9110 §5.6.7). */
  get date(): string {
    return this.#date;
  }

  tick(): void {
    const now = performance.now();
    this.#now += Math.min(now - this.#last, 2 * this.#tickMillis);
    this.#last = now;
    const second = Math.floor(Date.now() / 1000);
    if (second === this.#second) return;
    this.#second = second;
    this.#date = new Date(second * 1000).toUTCString();
  }
}
