import type { Statement } from './connections.ts';
import { type Answer, getStatement, type Target, type Versioned } from './statements.ts';

/** Most keys of one statement, unless one reader alone asks for more. */
const MAX_KEYS = 1_000;

/** Keys that one reader asks for, and those whose versions it wants told along. */
interface Wish {
  readonly keys: readonly string[];
  readonly checks: readonly string[];
  readonly resolve: (reading: Reading) => void;
  readonly reject: (error: unknown) => void;
}

/** What one wish got. */
export interface Reading {
  /** The same for all that was read by one statement, which is of one moment. */
  readonly moment: object;
  readonly records: readonly (Versioned | undefined)[];
  /** 0 where the record is missing. */
  readonly versions: readonly number[];
}

/**
 * Reads of records, gathered: what all requests of this node ask for in one turn of the event loop goes in one
 * statement, and what comes while all lanes are busy goes together in the next.
 */
export class Reads {
  readonly #ask: (statement: Statement) => Promise<Answer>;
  readonly #target: Target;
  readonly #lanes: number;
  #waiting: Wish[] = [];
  #busy = 0;
  #scheduled = false;

  constructor(ask: (statement: Statement) => Promise<Answer>, target: Target, lanes: number) {
    this.#ask = ask;
    this.#target = target;
    this.#lanes = lanes;
  }

  get(keys: readonly string[], checks: readonly string[]): Promise<Reading> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ keys, checks, resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        this.#start();
      });
    });
  }

  #start(): void {
    while (this.#busy < this.#lanes && this.#waiting.length > 0) {
      this.#busy += 1;
      void this.#grant(this.#take()).finally(() => {
        this.#busy -= 1;
        this.#start();
      });
    }
  }

  #take(): readonly Wish[] {
    let keys = 0;
    const rest = this.#waiting.findIndex((wish, i) => {
      keys += wish.keys.length + wish.checks.length;
      return i > 0 && keys > MAX_KEYS;
    });
    return this.#waiting.splice(0, rest === -1 ? this.#waiting.length : rest);
  }

  async #grant(wishes: readonly Wish[]): Promise<void> {
    try {
      // What many ask for, such as the revision, is read and sent once.
      const keys = placesOf(wishes.flatMap((wish) => wish.keys));
      const checks = placesOf(wishes.flatMap((wish) => wish.checks));
      const { found, versions } = await this.#ask(getStatement(this.#target, [...keys.keys()], [...checks.keys()]));
      const moment = {};
      for (const wish of wishes) {
        wish.resolve({
          moment,
          records: wish.keys.map((key) => found.get(keys.get(key) ?? -1)?.record),
          versions: wish.checks.map((key) => versions.get(checks.get(key) ?? -1) ?? 0),
        });
      }
    } catch (error) {
      for (const wish of wishes) wish.reject(error);
    }
  }
}

/** Each key once, with its place from 0. */
function placesOf(keys: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (const key of keys) if (!places.has(key)) places.set(key, places.size);
  return places;
}
