import { unavailable } from '../../framework/errors.ts';

/**
 * Lets a few pieces of slow work run at once and some more wait, in their order; beyond that 503 with Retry-After. So a
 * flood of logins takes a stated part of the processor and of memory, and the rest of the requests go on.
 */
export class Turns {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atOnce: number, maxWaiting: number) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    await this.#begin();
    try {
      return await work();
    } finally {
      // Whoever waits longest takes the place over, so that nobody who comes now is before them.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  async #begin(): Promise<void> {
    if (this.#running < this.#atOnce) {
      this.#running += 1;
      return;
    }
    if (this.#waiting.length >= this.#maxWaiting) throw unavailable('too many logins at once: try again', 1);
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
