import { randomUUID } from 'node:crypto';
import type { Backend, Commit, Snapshot } from './backend.ts';
import { parseUrl } from './postgres/address.ts';
import { firstOf, readParameters, writeParameters } from './postgres/batch.ts';
import { DatabaseClock } from './postgres/clock.ts';
import { type ConnectionOptions, Connections, type Statement } from './postgres/connections.ts';
import { Holds } from './postgres/holds.ts';
import { onceThere } from './postgres/once-there.ts';
import { Reads } from './postgres/reads.ts';
import { migrate } from './postgres/schema.ts';
import { PostgresSnapshot } from './postgres/snapshot.ts';
import { type Answer, getStatement, readAnswer, type Target } from './postgres/statements.ts';
import { Versions } from './postgres/versions.ts';
import type { Store } from './store.ts';
import { type StoreOptions, TransactionalStore } from './transaction.ts';

export interface PostgresOptions extends StoreOptions {
  /** As `parseUrl` takes it. */
  readonly url: string;
  /** Instead of the URL's; asked at each new connection, so it may change while the server runs. */
  readonly password?: (() => string) | undefined;
  /** Where the tables lie, made where it is missing; default `keyhold`. */
  readonly schema?: string;
  /** Most connections at once, from `MIN_POOL_SIZE`; default 8. */
  readonly poolSize?: number;
  /** Of one statement; default 10,000. */
  readonly statementMillis?: number;
  /** How long a request waits for a database that is away, such as for one that restarts; default 3,000. */
  readonly patienceMillis?: number;
  /** For so long the first connection is tried where the database is away: it may boot beside its nodes; default 60,000. */
  readonly startMillis?: number;
  /** Told once that, and why, the start waits. */
  readonly onWait?: (error: unknown) => void;
  /** Told of what the store could not do, at most once a second; callers get a 503 without the detail. */
  readonly onError?: (error: unknown) => void;
}

/** How long a start waits for the database by default. */
export const START_MILLIS = 60_000;

/** One to commit, one to hold, one to read. */
export const MIN_POOL_SIZE = 3;

/** Of a statement's time it waits for a lock at most: the database then says that nothing was done, before it is given up. */
const LOCK_SHARE = 0.8;

/** Statements that only gather more while they wait: more at once make each smaller, not all faster. */
const MAX_READ_LANES = 4;

/**
 * A store in PostgreSQL 14 or later, which any number of nodes share. An answer comes after the database has made it
 * durable. Makes or upgrades its schema.
 *
 * Errors: `SchemaMismatch`; what the database says, or why it could not be reached within `startMillis`.
 */
export async function postgresStore(options: PostgresOptions): Promise<Store> {
  const { schema = 'keyhold', poolSize = 8, statementMillis = 10_000, patienceMillis = 3_000 } = options;
  const { onError = () => {} } = options;
  if (poolSize < MIN_POOL_SIZE) throw new Error(`the pool has at least ${MIN_POOL_SIZE} connections`);
  const address = parseUrl(options.url);
  const password = options.password ?? (() => address.password);
  const connections = new Connections({ address, password, poolSize, statementMillis, patienceMillis, onError });
  try {
    const open = () => connections.transaction('BEGIN', (query) => migrate(schema, query));
    await onceThere(open, options.startMillis ?? START_MILLIS, options.onWait);
    const backend = new PostgresBackend(connections, schema, { poolSize, statementMillis });
    await backend.readClock();
    return new TransactionalStore(backend, options);
  } catch (error) {
    await connections.close();
    throw error;
  }
}

class PostgresBackend implements Backend {
  readonly #connections: Connections;
  readonly #target: Target;
  readonly #clock = new DatabaseClock();
  readonly #versions = new Versions();
  readonly #reads: Reads;
  readonly #holds: Holds;
  /** Names this node's commits, so that one whose answer was lost is not made twice. */
  readonly #node = randomUUID();
  #calls = 0;

  constructor(
    connections: Connections,
    schema: string,
    { poolSize, statementMillis }: Pick<ConnectionOptions, 'poolSize' | 'statementMillis'>,
  ) {
    this.#connections = connections;
    this.#target = { schema, lockMillis: Math.ceil(statementMillis * LOCK_SHARE) };
    const holds = Math.max(1, Math.floor(poolSize / 4));
    this.#holds = new Holds(connections, holds, statementMillis);
    const lanes = Math.min(MAX_READ_LANES, poolSize - holds - 1);
    this.#reads = new Reads((statement) => this.#ask(statement), this.#target, lanes);
  }

  async readClock(): Promise<void> {
    await this.#ask(getStatement(this.#target, [], []));
  }

  snapshot(): Snapshot {
    return new PostgresSnapshot({
      target: this.#target,
      clock: this.#clock,
      reads: this.#reads,
      holds: this.#holds,
      versions: this.#versions,
      ask: (statement) => this.#ask(statement),
    });
  }

  /** One call of the database; the next begins when this one has ended, as the numbers of calls demand. */
  async commit(take: () => readonly Commit[]): Promise<readonly boolean[]> {
    const batch = take();
    if (batch.every(({ writes }) => writes.size === 0)) return this.#validate(batch);
    const { schema, lockMillis } = this.#target;
    const commits = firstOf(batch);
    this.#calls += 1;
    const values = [
      ...[
        lockMillis,
        this.#node,
        this.#calls,
        this.#clock.now(),
        Math.max(...commits.map(({ now }) => now)),
        commits.length,
      ],
      ...readParameters(commits, this.#versions),
      ...writeParameters(commits),
    ];
    const text = `SELECT applied, clock FROM ${schema}.commit_1(${placeholders(values.length)})`;
    const [row] = await this.#connections.run({ text, values }, 'write');
    const applied: unknown = row?.[0];
    if (!Array.isArray(applied) || applied.length !== commits.length)
      throw new Error('the database answered no outcome');
    this.#clock.learn(Number(row?.[1]));
    return applied.map((one) => one === true);
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }

  /** What only read changes nothing, needs no order, and is valid at one moment: that of this statement. */
  async #validate(batch: readonly Commit[]): Promise<readonly boolean[]> {
    const { schema, lockMillis } = this.#target;
    const values = [lockMillis, ...readParameters(batch, this.#versions)];
    const text = `SELECT tx FROM ${schema}.losers_1(${placeholders(values.length)}) AS l(tx)`;
    const rows = await this.#connections.run({ text, values }, 'read');
    const losers = new Set(rows.map(([tx]) => tx));
    return batch.map((_, i) => !losers.has(i + 1));
  }

  async #ask(statement: Statement): Promise<Answer> {
    const answer = readAnswer(await this.#connections.run(statement, 'read'));
    this.#clock.learn(answer.time);
    return answer;
  }
}

const placeholders = (count: number): string => Array.from({ length: count }, (_, i) => `$${i + 1}`).join(', ');
