import type { Configuration } from './frontier.ts';

/** A configuration at the answer of this place that comes next. */
export interface Point<S> {
  readonly place: number;
  readonly at: Configuration<S>;
}

/** In places: what it takes off the hope for a configuration that it supposes something that no answer has demanded. */
const PRICE_OF_USED = 4;
const PRICE_OF_DONE = 1;

/**
 * What is still to be looked at, the most hopeful first: who is far, and supposes little. Without that a search may try all
 * sets of operations without an outcome at one place, before it looks at a single one that would do.
 */
export class Agenda<S> {
  /** By hope, which may be negative; the last that came of the same hope goes first. */
  readonly #waiting = new Map<number, Point<S>[]>();
  #most = Number.NEGATIVE_INFINITY;

  add(point: Point<S>): void {
    const { place, at } = point;
    const hope = place - PRICE_OF_USED * ones(at.used) - PRICE_OF_DONE * ones(at.done);
    const same = this.#waiting.get(hope);
    if (same === undefined) this.#waiting.set(hope, [point]);
    else same.push(point);
    this.#most = Math.max(this.#most, hope);
  }

  /** Undefined where nothing is left. */
  take(): Point<S> | undefined {
    const best = this.#waiting.get(this.#most);
    const point = best?.pop();
    if (best?.length === 0) {
      this.#waiting.delete(this.#most);
      this.#most = Math.max(...this.#waiting.keys());
    }
    return point;
  }
}

function ones(bits: bigint): number {
  let count = 0;
  for (let rest = bits; rest > 0n; rest &= rest - 1n) count += 1;
  return count;
}
