import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { Barrier } from '../barrier/index.ts';
import { decodeRecord } from '../framework/record.ts';
import { DUE_QUEUES } from '../tokens/due.ts';
import { type Claim, FOLDER, type JobRecord, jobKey } from './job.ts';
import { revokeBatch, tidyBatch } from './leases/revoke.ts';
import { Loop } from './loop.ts';
import { purgeBatch } from './purge.ts';
import type { Service } from './service.ts';
import { Sweep } from './sweep.ts';

export { addPurge, type Claim, type JobRecord } from './job.ts';

/** A job as an operator may see it. */
export interface JobState extends JobRecord {
  readonly id: string;
  /** Times in a row that it failed, on this node. */
  readonly failures: number;
}

/**
 * Carries one batch out and says whether it was the last, in which it removes the record under `key` too. Any other batch
 * puts the record with the claim that is made from the time of its transaction.
 */
type Batch = (service: JobService, key: string, record: JobRecord, claim: (now: number) => Claim) => Promise<boolean>;
const KINDS: ReadonlyMap<string, Batch> = new Map<string, Batch>([
  ['purge', ({ barrier }, key, record, claim) => purgeBatch(barrier, key, record, claim)],
  ['revoke', revokeBatch],
  ['tidy-leases', tidyBatch],
]);

/** What of the barrier jobs need. */
export type JobBarrier = Pick<Barrier, 'transact' | 'sealed'>;

/** What of the server jobs need: also what the engines are that take back what was leased. */
export interface JobService extends Pick<Service, 'engines' | 'state' | 'log'> {
  readonly barrier: JobBarrier;
}

/** Jobs read at once; the others follow. */
const PAGE = 1_000;
const FIRST_PAUSE_MILLISECONDS = 1_000;
const LONGEST_PAUSE_MILLISECONDS = 5 * 60_000;
const LOOK_MILLISECONDS = 5_000;
/** Shorter than the time between two looks, so that the next one finds the job of a runner that died. */
const CLAIM_MILLISECONDS = 4_000;

export interface JobsOptions {
  /** How often jobs are looked for that no hint told of: of other nodes, of an earlier life, failed ones. */
  readonly everyMilliseconds?: number;
  /** Monotonic milliseconds. */
  readonly clock?: () => number;
}

/** Runs stored jobs, one after the other, and beside them looks at the tokens and leases whose time is up. */
export class Jobs {
  readonly #service: JobService;
  readonly #barrier: JobBarrier;
  readonly #everyMilliseconds: number;
  readonly #clock: () => number;
  /** Names this runner in claims. */
  readonly #id = randomUUID();
  readonly #claim = (now: number): Claim => ({ by: this.#id, until: now + CLAIM_MILLISECONDS });
  readonly #failed = new Map<string, { readonly failures: number; readonly retryAt: number }>();
  readonly #sweeping: Loop;
  readonly #working: Loop;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(service: JobService, { everyMilliseconds = LOOK_MILLISECONDS, clock }: JobsOptions = {}) {
    this.#service = service;
    this.#barrier = service.barrier;
    this.#everyMilliseconds = everyMilliseconds;
    this.#clock = clock ?? (() => performance.now());
    const sweeps = DUE_QUEUES.map(
      (folders) => new Sweep(service, folders, this.#claim, () => this.#going, this.#clock),
    );
    this.#sweeping = this.#loop('tokens and leases that ended could not be removed', async () => {
      const ends = await Promise.allSettled(sweeps.map((sweep) => sweep.run()));
      for (const end of ends) if (end.status === 'rejected') throw end.reason;
    });
    this.#working = this.#loop('stored jobs could not be read', () => this.#work());
  }

  #loop(sentence: string, once: () => Promise<void>): Loop {
    return new Loop(async () => {
      if (!this.#going) return;
      await once().catch((error: unknown) => {
        if (this.#going) this.#service.log.error(sentence, { error });
      });
    });
  }

  /** Begins to look for jobs. The timer keeps no process alive. */
  start(): void {
    this.#timer ??= setInterval(() => this.wake(), this.#everyMilliseconds).unref();
    this.wake();
  }

  /** Resolves when the batch under way is through; the rest of its job waits in the store. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    this.#timer = undefined;
    await Promise.all([this.#sweeping.idle(), this.#working.idle()]);
  }

  /** A hint that a job was stored, or that something ended. Before `start` and after `stop` it waits in the store. */
  wake(): void {
    if (this.#timer === undefined) return;
    void this.#working.run();
    // What ended may leave more than one transaction removes.
    void this.#sweeping.run().then(() => this.#working.run());
  }

  /** Runs what is due, and resolves when nothing is. Never rejects. */
  async settle(): Promise<void> {
    do {
      this.#worked = false;
      await this.#sweeping.run();
      await this.#working.run();
      // A job may have ended what is to be looked at.
    } while (this.#worked);
  }

  /** Whether a job was ended since it was last asked. */
  #worked = false;

  /** The jobs that are stored, at most a thousand. 503 while sealed. */
  list(): Promise<readonly JobState[]> {
    return this.#barrier.transact(async (tx) => {
      const ids = await tx.list({ prefix: FOLDER, after: '', limit: PAGE });
      const records = await tx.getMany(ids.map(jobKey));
      return ids.flatMap((id, i) => {
        const record = records[i];
        const failures = this.#failed.get(id)?.failures ?? 0;
        return record === undefined ? [] : [{ ...decodeRecord<JobRecord>(record), id, failures }];
      });
    });
  }

  async #work(): Promise<void> {
    for (let after = ''; this.#going; ) {
      const ids = await this.#page(after);
      for (const id of ids) if (this.#isDue(id)) await this.#carryOn(id);
      after = ids.at(-1) ?? '';
      if (ids.length < PAGE) return;
    }
  }

  get #going(): boolean {
    return !this.#stopped && !this.#barrier.sealed;
  }

  #page(after: string): Promise<readonly string[]> {
    return this.#barrier.transact((tx) => tx.list({ prefix: FOLDER, after, limit: PAGE }));
  }

  #isDue(id: string): boolean {
    return (this.#failed.get(id)?.retryAt ?? Number.NEGATIVE_INFINITY) <= this.#clock();
  }

  /** Runs a job until it is done, fails, or the server stops or is sealed. */
  async #carryOn(id: string): Promise<void> {
    try {
      while (this.#going) {
        const last = await this.#batch(id);
        this.#failed.delete(id);
        if (last) return;
        await turn();
      }
    } catch (error) {
      if (this.#going) this.#fail(id, error);
    }
  }

  /** True where nothing is left for this runner: the job is done, or another's. */
  async #batch(id: string): Promise<boolean> {
    const key = jobKey(id);
    const found = await this.#barrier.transact(async (tx) => ({ raw: await tx.get(key), now: tx.now }));
    if (found.raw === undefined) return true;
    const record = decodeRecord<JobRecord>(found.raw);
    const { claim } = record;
    if (claim !== undefined && claim.by !== this.#id && claim.until > found.now) return true;
    const batch = KINDS.get(record.kind);
    if (batch === undefined) throw new Error('this version does not know the kind of the job');
    const last = await batch(this.#service, key, record, this.#claim);
    this.#worked ||= last;
    return last;
  }

  /** Keeps the job and waits longer with each failure in a row. */
  #fail(id: string, error: unknown): void {
    const failures = (this.#failed.get(id)?.failures ?? 0) + 1;
    const pause = Math.min(FIRST_PAUSE_MILLISECONDS * 2 ** (failures - 1), LONGEST_PAUSE_MILLISECONDS);
    this.#failed.set(id, { failures, retryAt: this.#clock() + pause });
    this.#service.log.error('a stored job failed and will be tried again', {
      job: id,
      failures,
      pause_millis: pause,
      error,
    });
  }
}
