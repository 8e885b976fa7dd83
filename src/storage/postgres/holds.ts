import { unavailable } from '../../framework/errors.ts';
import { MAX_HOLD_MILLIS } from '../store.ts';
import type { Connections, Statement } from './connections.ts';
import { away } from './faults.ts';
import { type Answer, readAnswer } from './statements.ts';

/** A moment of the database that stays readable. */
export interface Held {
  /** What the first statement answered. */
  readonly opening: Answer;
  ask(statement: Statement): Promise<Answer>;
  close(): void;
}

/** The server ends a transaction whose node forgot it, or cannot tell: it keeps dead rows from being cleared away. */
const BEGIN = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
  SET LOCAL idle_in_transaction_session_timeout = ${MAX_HOLD_MILLIS}`;

/**
 * Moments held for long answers: each is a transaction that only reads, on a connection of its own for as long as it
 * lasts. They are few; who finds all taken waits a while for one.
 */
export class Holds {
  readonly #connections: Connections;
  readonly #waitMillis: number;
  readonly #queue: (() => void)[] = [];
  #free: number;

  constructor(connections: Connections, most: number, waitMillis: number) {
    this.#connections = connections;
    this.#free = most;
    this.#waitMillis = waitMillis;
  }

  /** Errors: 503 where none becomes free in time, or the database is away. */
  async open(first: Statement): Promise<Held> {
    await this.#take();
    return new Promise((resolve, reject) => {
      this.#connections
        .transaction(BEGIN, async (query) => {
          const ask = async ({ text, values }: Statement): Promise<Answer> => readAnswer(await query(text, values));
          const opening = await ask(first);
          await new Promise<void>((close) => resolve({ opening, ask: (statement) => answerOf(ask(statement)), close }));
        })
        .catch((error: unknown) => reject(away(error, 'read', false)))
        .finally(() => this.#give());
    });
  }

  async #take(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const turn = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#queue.splice(this.#queue.indexOf(turn), 1);
        reject(unavailable('too many long lists are being read at once: try again', 1));
      }, this.#waitMillis);
      this.#queue.push(turn);
    });
  }

  #give(): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}

async function answerOf(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw away(error, 'read', false);
  }
}
