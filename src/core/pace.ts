import { setTimeout as pause } from 'node:timers/promises';

/** Lets so many things through in a second, evenly: work behind requests, which are to notice little of it. */
export class Pace {
  readonly #millisEach: number;
  /** Monotonic milliseconds from which on the next one may go. */
  #next = 0;

  constructor(perSecond: number) {
    this.#millisEach = 1_000 / perSecond;
  }

  /** Waits until so many more may go. */
  async take(count: number): Promise<void> {
    const now = performance.now();
    const wait = this.#next - now;
    this.#next = Math.max(this.#next, now) + count * this.#millisEach;
    if (wait > 0) await pause(wait);
  }
}

/**
 * Tokens and leases that each worker of each node removes in a second at most: of each queue of notes, and by a job that ends
 * what lies below a path.
 */
export const LOOKS_PER_SECOND = 1_000;
