import { setTimeout as pause } from 'node:timers/promises';
import type { Unsealing } from '../barrier/index.ts';
import type { Config } from '../config.ts';
import { reasonOf } from '../failure.ts';
import type { LogFormat, Logger } from '../log.ts';
import { Custody } from './custody.ts';
import type { Door } from './door.ts';
import type { Started, SupervisorCalls } from './protocol.ts';
import { Watch } from './watch.ts';
import { type Ended, WorkerProcess } from './worker-process.ts';

export interface CrewOptions {
  readonly config: Config;
  readonly logFormat: LogFormat;
  readonly log: Logger;
  readonly door: Door;
  /** Takes the shares for all workers. */
  readonly unsealing: Unsealing;
}

/** A worker that ended sooner than this after its start is not followed at once by the next. */
const SHORT_LIFE_MILLIS = 5_000;
const FIRST_PAUSE_MILLIS = 100;
const LONGEST_PAUSE_MILLIS = 5_000;

/** A client that is about to ask something on a connection it has open gets its answer, and learns that it closes. */
const RETIRING_IDLE_MILLIS = 1_000;

/** The workers of a server: as many as configured, each replaced when it ends, all of them when the server is sealed. */
export class Crew {
  readonly #options: CrewOptions;
  readonly #custody: Custody;
  /** All that have been started and not ended, those that retire too. */
  readonly #workers = new Set<WorkerProcess>();
  /** Those among them that are to be replaced when they end. */
  readonly #serving = new Set<WorkerProcess>();
  readonly #watch: Watch;
  #stopped = false;
  #failures = 0;

  constructor(options: CrewOptions) {
    this.#options = options;
    this.#custody = new Custody(options.unsealing, () => this.#workers);
    this.#watch = new Watch(() => this.#workers, options.log);
  }

  /**
   * Starts the first worker, which opens what opens by itself, then the others, and serves when all have started. Rejects
   * where one does not.
   */
  async start(): Promise<Started> {
    const { config, door } = this.#options;
    process.on('exit', this.#killAll);
    const { started } = await this.#launch(true);
    this.#watch.start();
    await Promise.all(Array.from({ length: config.workers - 1 }, () => this.#launch(false)));
    door.admit(this.#serving);
    return started;
  }

  /** Ends all workers, which answer what they were given. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const order = { graceMillis: this.#options.config.stopGraceMillis, idleMillis: 0 };
    await Promise.all([...this.#workers].map((worker) => worker.stop(order)));
    this.#watch.stop();
    process.off('exit', this.#killAll);
  }

  readonly #killAll = (): void => {
    for (const worker of this.#workers) worker.kill();
  };

  async #launch(first: boolean): Promise<{ readonly worker: WorkerProcess; readonly started: Started }> {
    const { config, logFormat, log, door } = this.#options;
    const worker = new WorkerProcess((asking) => this.#serve(asking));
    this.#workers.add(worker);
    const began = performance.now();
    void worker.ended.then((ended) => {
      door.dismiss(worker);
      this.#workers.delete(worker);
      if (this.#serving.delete(worker)) this.#ended(worker, ended, performance.now() - began);
    });
    const rootKey = (): Buffer | undefined => this.#custody.rootKey;
    const started = await worker.start({ config, logFormat, first, rootKey });
    this.#serving.add(worker);
    log.debug('a worker serves', { worker: worker.pid });
    return { worker, started };
  }

  #ended(worker: WorkerProcess, ended: Ended, lifeMillis: number): void {
    if (this.#stopped) return;
    this.#options.log.error('a worker ended and is replaced', { worker: worker.pid, ended });
    this.#failures = lifeMillis < SHORT_LIFE_MILLIS ? this.#failures + 1 : 0;
    void this.#replace(this.#failures);
  }

  /** Starts another worker, however long that takes. */
  async #replace(failures: number): Promise<void> {
    for (let tries = failures; !this.#stopped; tries++) {
      if (tries > 0) await pause(pauseOf(tries), undefined, { ref: false });
      if (this.#stopped) return;
      try {
        const { worker } = await this.#launch(false);
        this.#options.door.admit([worker]);
        this.#options.log.info('another worker serves in its place');
        return;
      } catch (error) {
        this.#options.log.error('a worker did not start and is tried again', { reason: reasonOf(error) });
      }
    }
  }

  /**
   * Other processes take over from those that have held keys; these answer what is under way, and their memory ends with
   * them. None of them is starting any more: it has been sealed, which it is after its start.
   */
  #replaceTrusted(): void {
    const { door, config } = this.#options;
    for (const worker of this.#serving) {
      if (!worker.trusted) continue;
      this.#serving.delete(worker);
      door.dismiss(worker);
      void worker.stop({ graceMillis: config.stopGraceMillis, idleMillis: RETIRING_IDLE_MILLIS });
      void this.#replace(0);
    }
  }

  #serve(worker: WorkerProcess): SupervisorCalls {
    const custody = this.#custody;
    return {
      submit: async ({ record, share }) => {
        const plain = await worker.unwrap(share);
        try {
          const rootKey = await custody.submit(record, plain);
          if (rootKey === undefined) return undefined;
          return await worker.wrap(rootKey).finally(() => rootKey.fill(0));
        } finally {
          plain.fill(0);
        }
      },
      reset: () => custody.reset(),
      progress: () => custody.progress(),
      opened: async ({ rootKey, shuts }) => {
        const plain = await worker.unwrap(rootKey);
        try {
          await custody.opened(worker, plain, shuts);
        } finally {
          plain.fill(0);
        }
      },
      sealed: async () => {
        await custody.sealed();
        this.#replaceTrusted();
      },
    };
  }
}

const pauseOf = (tries: number): number => Math.min(FIRST_PAUSE_MILLIS * 2 ** (tries - 1), LONGEST_PAUSE_MILLIS);
