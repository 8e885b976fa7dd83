import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '../framework/errors.ts';
import type { Backend, Commit, Snapshot } from './backend.ts';
import { Buffered } from './buffered.ts';
import { random } from './random.ts';
import type { Awaitable, Store, Transaction } from './store.ts';

/** Lost races before a transaction runs alone. */
const LOSSES = 5;
/** Tries alone before it gives up: other nodes have their lanes, and of those that contend one wins each time. */
const TRIES_ALONE = 64;
/** Lanes of other nodes that contend step out of each other's way: after each lost try for up to twice as long. */
const LONGEST_PAUSE_MILLIS = 64;

/** Turns of the event loop that a batch waits at most. */
const GATHER_TURNS = 8;

export interface StoreOptions {
  /** Runs every function twice and keeps the second run: shows functions with effects of their own. For tests. */
  readonly rehearse?: boolean;
}

/** One commit on its way to the backend. */
interface Waiting {
  readonly commit: Commit;
  readonly resolve: (applied: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Serializable transactions over a backend. Functions run on snapshots and buffer their writes; all that wait while
 * one batch is being made durable go into the next, so many answers share one sync.
 */
export class TransactionalStore implements Store {
  readonly #backend: Backend;
  readonly #rehearse: boolean;
  #waiting: Waiting[] = [];
  #committing: Promise<void> | undefined;
  /** After a batch the next one waits a moment for those who were just answered: how many would make it complete. */
  #expected = 0;
  /** The tail of the lane in which transactions run alone; while it is held no batch starts. */
  #lane: Promise<void> = Promise.resolve();
  #held = false;
  /** Transactions under way; the backend is closed behind the last of them. */
  #running = 0;
  #closed = false;
  readonly #idle: (() => void)[] = [];

  constructor(backend: Backend, options: StoreOptions = {}) {
    this.#backend = backend;
    this.#rehearse = options.rehearse ?? false;
  }

  async transact<T>(fn: (tx: Transaction) => Awaitable<T>): Promise<T> {
    if (this.#closed) throw unavailable('the store is closed');
    this.#running += 1;
    try {
      for (let losses = 0; losses < LOSSES; losses++) {
        const run = await this.#run(fn);
        if (run.commit === undefined || (await applied(run, this.#enqueue(run.commit)))) return settle(run);
      }
      return await this.#alone(fn);
    } finally {
      this.#running -= 1;
      if (this.#running === 0) for (const idle of this.#idle.splice(0)) idle();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    while (this.#running > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    await this.#backend.close();
  }

  async #run<T>(fn: (tx: Transaction) => Awaitable<T>): Promise<Run<T>> {
    if (this.#rehearse) (await this.#runOnce(fn)).tx.abandon();
    return this.#runOnce(fn);
  }

  async #runOnce<T>(fn: (tx: Transaction) => Awaitable<T>): Promise<Run<T>> {
    const snapshot: Snapshot = await this.#backend.snapshot();
    const tx = new Buffered(snapshot, random);
    try {
      const value = await fn(tx);
      const mixed = snapshot.mixed();
      return { tx, value, commit: tx.commit(typeof mixed === 'boolean' ? mixed : await mixed) };
    } catch (error) {
      tx.abandon();
      return { tx, error, commit: tx.spent(await snapshot.mixed()) };
    } finally {
      snapshot.release();
    }
  }

  #enqueue(commit: Commit): Promise<readonly boolean[]> {
    // What wrote nothing changes nothing, so it waits for no batch.
    if (commit.writes.size === 0) return this.#backend.commit(() => [commit]);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ commit, resolve: (won) => resolve([won]), reject });
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#held || this.#committing !== undefined || this.#waiting.length === 0) return;
    if (this.#waiting.length < this.#expected) return;
    this.#committing = this.#commitBatch().then((answered) => {
      this.#committing = undefined;
      this.#gather(answered);
    });
  }

  /** A sync costs the same for one as for a hundred, so clients that write in a loop are let into one batch. */
  #gather(answered: number): void {
    this.#expected = this.#waiting.length + answered;
    let turns = GATHER_TURNS;
    const turn = (): void => {
      if (this.#committing !== undefined) return;
      turns -= 1;
      if (turns > 0) {
        setImmediate(turn);
        return;
      }
      this.#expected = 0;
      this.#flush();
    };
    turn();
  }

  /** Commits what waits when the backend's turn comes; how many it answered. */
  async #commitBatch(): Promise<number> {
    let batch: readonly Waiting[] = this.#waiting;
    try {
      const applied = await this.#backend.commit(() => {
        batch = this.#take();
        return batch.map(({ commit }) => commit);
      });
      const taken = batch.slice(0, applied.length);
      this.#waiting.unshift(...batch.slice(applied.length));
      taken.forEach((waiting, i) => {
        waiting.resolve(applied[i] === true);
      });
      return taken.length;
    } catch (error) {
      if (batch === this.#waiting) this.#take();
      for (const waiting of batch) waiting.reject(error);
      return batch.length;
    }
  }

  #take(): readonly Waiting[] {
    const batch = this.#waiting;
    this.#waiting = [];
    return batch;
  }

  /** Runs a function that keeps losing while no other commit of this process is under way. */
  async #alone<T>(fn: (tx: Transaction) => Awaitable<T>): Promise<T> {
    const before = this.#lane;
    let leave = (): void => {};
    this.#lane = new Promise((resolve) => {
      leave = resolve;
    });
    await before;
    try {
      for (let tries = 0; tries < TRIES_ALONE; tries++) {
        this.#held = true;
        while (this.#committing !== undefined) await this.#committing;
        const run = await this.#run(fn);
        const { commit } = run;
        if (
          commit === undefined ||
          (await applied(
            run,
            this.#backend.commit(() => [commit]),
          ))
        )
          return settle(run);
        // Others of this process need not wait for that, too.
        this.#held = false;
        this.#flush();
        await pause(Math.random() * Math.min(2 ** tries, LONGEST_PAUSE_MILLIS));
      }
      throw unavailable('too many requests change the same data at once: try again', 1);
    } finally {
      this.#held = false;
      leave();
      this.#flush();
    }
  }
}

/** What one run of a function gave, and what of it there is to commit. */
type Run<T> = { readonly tx: Buffered; readonly commit: Commit | undefined } & (
  | { readonly value: T }
  | { readonly error: unknown }
);

/** Whether the run's commit was applied. A run that was not has no reader any more. */
async function applied<T>(run: Run<T>, commit: Promise<readonly boolean[]>): Promise<boolean> {
  let won = false;
  try {
    won = (await commit)[0] === true;
    return won;
  } finally {
    if (!won) run.tx.abandon();
  }
}

function settle<T>(run: Run<T>): T {
  if ('error' in run) throw run.error;
  return run.value;
}
