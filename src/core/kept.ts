interface Entry<T> {
  readonly value: T;
  readonly cost: number;
  used: boolean;
}

/**
 * What was worked out, kept within a bound: where it is full, what has not been asked for since it was last looked at goes
 * first. So a large thing in use stays while small ones come and go.
 */
export class Kept<T> {
  readonly #limit: number;
  readonly #entries = new Map<string, Entry<T>>();
  #cost = 0;

  /** @param limit of the costs of all that is kept; a single thing that costs more is kept alone */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.used = true;
    return entry.value;
  }

  set(key: string, value: T, cost: number): void {
    this.#remove(key);
    for (const [oldest, entry] of this.#entries) {
      if (this.#cost + cost <= this.#limit) break;
      this.#remove(oldest);
      if (entry.used) this.#add(oldest, { ...entry, used: false });
    }
    this.#add(key, { value, cost, used: false });
  }

  #add(key: string, entry: Entry<T>): void {
    this.#entries.set(key, entry);
    this.#cost += entry.cost;
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#cost -= entry.cost;
  }
}
