import { setTimeout as pause } from 'node:timers/promises';
import { Pool, type PoolClient } from 'pg';
import type { Address } from './address.ts';
import { away, isPassing, isRefusal, isSpoilt, LateStatement } from './faults.ts';
import type { Query } from './schema.ts';

export interface ConnectionOptions {
  readonly address: Address;
  /** Asked at each new connection, so a password may change while the server runs. */
  readonly password: () => string | undefined;
  /** Most connections at once. */
  readonly poolSize: number;
  /** Of one statement, and of making a connection. */
  readonly statementMillis: number;
  /** For so long a database that is away is tried again, from when it was first found to be. */
  readonly patienceMillis: number;
  /** Told of what went wrong, at most once a second. */
  readonly onError: (error: unknown) => void;
}

/** A statement with the values of its parameters. It may be made twice: a lost answer is asked for again. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

export type Row = readonly unknown[];

const FIRST_PAUSE_MILLIS = 20;
const LONGEST_PAUSE_MILLIS = 300;
const REPORT_MILLIS = 1_000;

/** New connections look the name up anew, which is how some find the database that took over. */
const LIFETIME_SECONDS = 900;
const IDLE_MILLIS = 60_000;

/**
 * Connections to one database. Nothing is left behind in a session: statements have no names, and each but those of
 * `transaction` stands alone, so a pooler between may give each another session.
 */
export class Connections {
  readonly #pool: Pool;
  readonly #options: ConnectionOptions;
  #awaySince: number | undefined;
  #reported = Number.NEGATIVE_INFINITY;
  #closing: Promise<void> | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { host, port, user, database, tls } = options.address;
    this.#pool = new Pool({
      ...{ host, port, user, database, ssl: tls ?? false, max: options.poolSize },
      // An empty one is what the library takes for none; undefined would make it look into files and variables.
      password: () => options.password() ?? '',
      application_name: 'keyhold',
      connectionTimeoutMillis: options.statementMillis,
      idleTimeoutMillis: IDLE_MILLIS,
      maxLifetimeSeconds: LIFETIME_SECONDS,
      keepAlive: true,
    });
    // A connection that ends while nobody uses it is replaced, and one in use rejects its statement: both are handled.
    this.#pool.on('error', () => {});
    this.#pool.on('connect', (client) => client.on('error', () => {}));
  }

  /** The rows of a statement. Errors: 503 where the database is away, or says that it cannot. */
  async run(statement: Statement, what: 'read' | 'write'): Promise<readonly Row[]> {
    let uncertain = false;
    for (let wait = FIRST_PAUSE_MILLIS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MILLIS)) {
      try {
        const rows = await this.#attempt(statement, () => {
          uncertain = what === 'write';
        });
        this.#awaySince = undefined;
        return rows;
      } catch (error) {
        if (!this.#isWorthAnother(error, wait)) throw this.#give(error, what, uncertain);
        await pause(wait);
      }
    }
  }

  /**
   * Runs the function in one transaction on one connection; `begin` may say of what kind. Its errors are those of the
   * database: what it does may not be repeatable.
   */
  async transaction<T>(begin: string, run: (query: Query) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    try {
      await this.#on(client, { text: begin, values: [] });
      const result = await run((text, values = []) => this.#on(client, { text, values }));
      await this.#on(client, { text: 'COMMIT', values: [] });
      client.release();
      return result;
    } catch (error) {
      // Ending the connection is what certainly ends the transaction.
      client.release(true);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closing ??= this.#pool.end();
    await this.#closing;
  }

  /** Once; `lost` is called where the statement was sent and no answer came. */
  async #attempt(statement: Statement, lost: () => void): Promise<readonly Row[]> {
    const client = await this.#pool.connect();
    try {
      const rows = await this.#on(client, statement);
      client.release();
      return rows;
    } catch (error) {
      if (!isRefusal(error)) lost();
      client.release(isSpoilt(error));
      throw error;
    }
  }

  async #on(client: PoolClient, { text, values }: Statement): Promise<readonly Row[]> {
    const { statementMillis } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new LateStatement(statementMillis)), statementMillis);
    });
    try {
      // Without values the simple protocol is used, which takes several statements at once.
      const query = { text, rowMode: 'array' as const, ...(values.length === 0 ? {} : { values: [...values] }) };
      const result = await Promise.race([client.query<unknown[]>(query), late]);
      return result.rows;
    } finally {
      clearTimeout(timer);
    }
  }

  #isWorthAnother(error: unknown, wait: number): boolean {
    if (this.#closing !== undefined || !isPassing(error)) return false;
    this.#awaySince ??= performance.now();
    return performance.now() + wait - this.#awaySince <= this.#options.patienceMillis;
  }

  #give(error: unknown, what: 'read' | 'write', uncertain: boolean): Error {
    if (performance.now() - this.#reported >= REPORT_MILLIS) {
      this.#reported = performance.now();
      this.#options.onError(error);
    }
    return away(error, what, uncertain);
  }
}
