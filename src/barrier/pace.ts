import { ServiceError } from '../framework/errors.ts';

/** Monotonic milliseconds. */
export type Clock = () => number;

const CAPACITY = 320;
const PER_SECOND = 16;
const WRONG_TRY = 32;

/**
 * Paces unseal attempts ("known-attacks I1"): a bucket of 320, filled by 16 a second; a share costs 1 and a wrong try 32
 * more. A split of 255 shares fits at once, and whoever floods holds the others up for two seconds at most.
 */
export class UnsealPace {
  readonly #clock: Clock;
  #level = CAPACITY;
  #at: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock();
  }

  /** Counts one share. 429 where too many came. */
  share(): void {
    const now = this.#clock();
    this.#level = Math.min(CAPACITY, this.#level + ((now - this.#at) * PER_SECOND) / 1_000);
    this.#at = now;
    if (this.#level < 1) {
      const seconds = Math.ceil((1 - this.#level) / PER_SECOND);
      throw new ServiceError(429, ['too many unseal attempts: wait and try again'], [['Retry-After', String(seconds)]]);
    }
    this.#level--;
  }

  /** Counts a try that did not open. */
  wrongTry(): void {
    this.#level -= WRONG_TRY;
  }
}
