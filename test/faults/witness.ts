import { isDeepStrictEqual } from 'node:util';
import type { Call, Client } from './client.ts';
import type { Random } from './random.ts';

/** What must never be seen. */
export class Violation extends Error {
  constructor(what: string, seen?: object) {
    super(seen === undefined ? what : `${what}\n${JSON.stringify(seen, undefined, 1)}`);
    this.name = 'Violation';
  }
}

/** Something stored that requests change, and that knows what its server has promised of it. */
export interface Witness {
  /**
   * Sends one request. False where the server took nothing (503); rejects where the outcome is unknown; a `Violation`
   * where the answer contradicts what was promised before.
   */
  step(client: Client, random: Random): Promise<boolean>;
  /** Compares what is stored with what was promised, while nothing is under way; `whole` looks at what is long past too. */
  check(client: Client, whole: boolean): Promise<Findings>;
}

/** Of requests whose outcome was unknown: how many had been carried out, and how many not. */
export interface Findings {
  readonly found: number;
  readonly absent: number;
}

export const NOTHING: Findings = { found: 0, absent: 0 };

/** A request, the status that it must be answered with, and the state that it leaves behind. */
export interface Operation<S> {
  readonly call: Call;
  readonly status: number;
  readonly after: S;
}

/** A model of one stored thing that one client at a time changes. */
export interface Subject<S> {
  readonly name: string;
  readonly first: S;
  /** What to do next. */
  operation(state: S, random: Random): Operation<S>;
  /** What of a state can be seen through the API. */
  view(state: S): unknown;
  /** The same, as the server shows it; `state` is the last promised one, or one operation behind. */
  observe(client: Client, state: S, whole: boolean): Promise<unknown>;
}

/** A subject with what was promised of it: one state, and after a request of unknown outcome the next one may hold. */
export class Tracked<S> implements Witness {
  readonly #subject: Subject<S>;
  #state: S;
  #doubt: Operation<S> | undefined;

  constructor(subject: Subject<S>) {
    this.#subject = subject;
    this.#state = subject.first;
  }

  async step(client: Client, random: Random): Promise<boolean> {
    const operation = this.#subject.operation(this.#state, random);
    this.#doubt = operation;
    const { status, json } = await client.send(operation.call);
    this.#doubt = undefined;
    if (status === 503) return false;
    if (status !== operation.status) {
      throw new Violation(`${this.#subject.name}: answered with ${status} instead of ${operation.status}`, {
        call: operation.call,
        json,
        state: this.#state,
      });
    }
    this.#state = operation.after;
    return true;
  }

  async check(client: Client, whole: boolean): Promise<Findings> {
    const { name } = this.#subject;
    const observed = await this.#subject.observe(client, this.#state, whole);
    const doubt = this.#doubt;
    const is = (state: S): boolean => isDeepStrictEqual(this.#subject.view(state), observed);
    if (doubt !== undefined && is(doubt.after)) {
      this.#state = doubt.after;
      this.#doubt = undefined;
      return { found: 1, absent: 0 };
    }
    if (!is(this.#state)) {
      throw new Violation(`${name}: is neither as acknowledged nor as after the request of unknown outcome`, {
        observed,
        acknowledged: this.#subject.view(this.#state),
        unknown: doubt === undefined ? 'none' : { call: doubt.call, after: this.#subject.view(doubt.after) },
      });
    }
    this.#doubt = undefined;
    return doubt === undefined ? NOTHING : { found: 0, absent: 1 };
  }
}
