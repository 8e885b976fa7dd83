import { randomBytes } from 'node:crypto';
import { badRequest, type ServiceError } from '../framework/errors.ts';
import type { Awaitable, Store } from '../storage/store.ts';
import { andThen } from './awaitable.ts';
import { sealedError } from './errors.ts';
import { type Initialized, initialize } from './init.ts';
import { KEY_BYTES } from './keyring.ts';
import { KEYRING, SEAL_HELD } from './names.ts';
import { loneKey, readSeal, type Seal, type SealRecord, SHAMIR, type ShareCount } from './seal.ts';
import { type KeyStatus, Session, type SessionOptions } from './session.ts';
import { type SealedTransaction, SealedView } from './transaction.ts';
import { type Progress, Unsealer, type Unsealing, unwrapByDevice } from './unsealer.ts';
import { reserve, USAGE_LIMITS } from './usage.ts';

/** What a barrier may be told; `usage` is for tests. */
export interface BarrierOptions extends Partial<SessionOptions> {
  /** What opens the server without shares, from the configuration. */
  readonly autoSeal?: Seal | undefined;
  /** Shared with the other processes of the server; by itself a barrier is alone. */
  readonly unsealing?: Unsealing | undefined;
}

/** The members of `sys/seal-status` that the barrier knows; `t` and `n` are threshold and shares, 0 before init. */
export interface SealStatus {
  readonly type: string;
  readonly initialized: boolean;
  readonly sealed: boolean;
  readonly t: number;
  readonly n: number;
  readonly progress: number;
  /** Names the round of shares, to those who give shares only ("4-open-points": no nonce to strangers). */
  readonly nonce: string;
  /** Whether the shares are recovery shares, which open nothing without the device. */
  readonly recovery_seal: boolean;
}

const DEFAULTS: SessionOptions = {
  usage: USAGE_LIMITS,
  cacheBytes: 64 * 1024 * 1024,
  log: console.error,
  clock: () => performance.now(),
};
const NO_PROGRESS: Progress = { count: 0, nonce: '' };
const DRAIN_MILLISECONDS = 5_000;

const notInitialized = (): ServiceError => badRequest('the server is not initialized: call init first');

/** The store with every value sealed, and the life of a sealed server: init, unseal, seal, rotate ("architecture §5"). */
export class Barrier {
  readonly #store: Store;
  readonly #seal: Seal | undefined;
  readonly #options: SessionOptions;
  readonly #unsealing: Unsealing;
  #session: Session | undefined;
  /** Times that this process was sealed: who opens it meanwhile is late. */
  #seals = 0;
  #running = 0;
  #drained: (() => void)[] = [];

  constructor(store: Store, { autoSeal, unsealing, ...options }: BarrierOptions = {}) {
    this.#store = store;
    this.#seal = autoSeal;
    this.#options = { ...DEFAULTS, ...options };
    this.#unsealing = unsealing ?? new Unsealer(autoSeal, this.#options.clock);
  }

  /** Whether there are no keys in this process. */
  get sealed(): boolean {
    return this.#session === undefined;
  }

  async initialized(): Promise<boolean> {
    return (await this.#read()) !== undefined;
  }

  #read(): Promise<SealRecord | undefined> {
    return this.#store.transact(readSeal);
  }

  /**
   * Makes the keys and runs `first` through the new barrier, all in one transaction; the server stays sealed. The keys
   * are unseal shares, or recovery shares where the server opens by itself. 400: bad counts, or initialized already.
   */
  init<T>(count: ShareCount, first: (tx: SealedTransaction) => Awaitable<T>): Promise<Initialized<T>> {
    return initialize(this.#store, this.#seal, count, this.#options, first);
  }

  /** What everyone may see. */
  async status(): Promise<SealStatus> {
    return this.#status(await this.#read(), false);
  }

  async #status(record: SealRecord | undefined, named: boolean): Promise<SealStatus> {
    const type = record?.type ?? this.#seal?.type ?? SHAMIR;
    const { count, nonce } = this.sealed ? await this.#unsealing.progress() : NO_PROGRESS;
    return {
      type,
      initialized: record !== undefined,
      sealed: this.sealed,
      t: record?.threshold ?? 0,
      n: record?.shares ?? 0,
      progress: count,
      nonce: named ? nonce : '',
      recovery_seal: type !== SHAMIR,
    };
  }

  /**
   * Takes one share; the threshold-th opens the server. The same share twice is no progress. 400: a share of a wrong
   * length (progress stays), or shares that do not open (progress gone). 429: too many attempts. Open already: no effect.
   */
  async submit(share: Buffer): Promise<SealStatus> {
    const record = await this.#read();
    if (record === undefined) throw notInitialized();
    if (this.sealed) {
      const rootKey = await this.#unsealing.submit(record, share);
      if (rootKey !== undefined) await this.#openAll(rootKey, true);
    }
    return this.#status(record, true);
  }

  /** Throws the progress away. 429: too many attempts. */
  async reset(): Promise<void> {
    await this.#unsealing.reset();
  }

  /**
   * Opens by the device of the configuration. False where the server is not initialized, opens by shares, or was sealed
   * by an operator and not unsealed since. Rejects where the device fails.
   */
  async tryAutoUnseal(): Promise<boolean> {
    if (!this.sealed) return true;
    const [record, held] = await this.#store.transact(
      async (tx) => [await readSeal(tx), await tx.get(SEAL_HELD)] as const,
    );
    if (record === undefined || record.type === SHAMIR || held !== undefined) return false;
    await this.#openAll(await unwrapByDevice(this.#seal, record), false);
    return true;
  }

  /** Opens this process and then the others of the server, and wipes the key. */
  async #openAll(rootKey: Buffer, release: boolean): Promise<void> {
    try {
      await this.#open(rootKey, release);
      await this.#unsealing.opened(rootKey);
    } finally {
      rootKey.fill(0);
    }
  }

  /**
   * Opens this process alone with the 32-byte root key, which the caller wipes. `CorruptRecord`: not the root key of
   * this keyring. 503: sealed meanwhile.
   */
  async open(rootKey: Buffer): Promise<void> {
    await this.#open(rootKey, false);
  }

  async #open(rootKey: Buffer, release: boolean): Promise<void> {
    if (!this.sealed) return;
    const seals = this.#seals;
    const root = loneKey(rootKey);
    const fresh = randomBytes(KEY_BYTES);
    try {
      const first = await this.#store.transact(async (tx) => {
        if ((await tx.get(KEYRING)) === undefined) throw notInitialized();
        if (release && (await tx.get(SEAL_HELD)) !== undefined) tx.delete(SEAL_HELD);
        return reserve(tx, root, fresh, this.#options.usage, false);
      });
      if (seals !== this.#seals) throw sealedError();
      this.#session ??= new Session(this.#store, root, first, this.#options);
    } finally {
      fresh.fill(0);
    }
  }

  /**
   * Seals the server: all its processes drop their keys. A server that opens by itself stays sealed over restarts until
   * it is unsealed. Where this process is sealed already, others may not be yet: it resolves when they are.
   */
  async seal(): Promise<void> {
    await Promise.all([
      this.shut(),
      this.#unsealing.sealed(),
      this.#store.transact(async (tx) => {
        const record = await readSeal(tx);
        if (record !== undefined && record.type !== SHAMIR) tx.put(SEAL_HELD, Buffer.from('1'));
      }),
    ]);
  }

  /**
   * Drops the keys of this process at once: new transactions are 503, and so are those under way at their next step.
   * Resolves when none is left (or after five seconds).
   */
  async shut(): Promise<void> {
    this.#seals += 1;
    const session = this.#session;
    if (session === undefined) return;
    this.#session = undefined;
    session.close();
    await this.#drain();
  }

  #drain(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#running === 0) return resolve();
      const timer = setTimeout(resolve, DRAIN_MILLISECONDS);
      this.#drained.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** `Store.transact` with values sealed. 503 where the server is sealed, or is sealed before `fn` is through. */
  async transact<T>(fn: (tx: SealedTransaction) => Awaitable<T>): Promise<T> {
    const session = this.#session;
    if (session === undefined) throw sealedError();
    this.#running++;
    try {
      return await this.#store.transact((tx) => {
        session.check();
        return andThen(fn(new SealedView(tx, session)), (result) => {
          session.check();
          return result;
        });
      });
    } finally {
      this.#running--;
      if (this.#running === 0) for (const drained of this.#drained.splice(0)) drained();
    }
  }

  /** Begins a new term for what is written from now on. Other nodes learn of it by the first record that names it. */
  async rotate(): Promise<void> {
    await this.#opened().rotate();
  }

  /** The active term of the store; `encryptions` is the upper bound over all nodes. */
  async keyStatus(): Promise<KeyStatus> {
    return this.#opened().keyStatus();
  }

  #opened(): Session {
    if (this.#session === undefined) throw sealedError();
    return this.#session;
  }
}
