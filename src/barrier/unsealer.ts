import { badRequest, type ServiceError } from '../framework/errors.ts';
import type { Awaitable } from '../storage/store.ts';
import { CorruptRecord } from './errors.ts';
import { KEY_BYTES } from './keyring.ts';
import { type Clock, UnsealPace } from './pace.ts';
import { ShareProgress, wipe } from './progress.ts';
import { type Seal, type SealRecord, unwrapByKey } from './seal.ts';
import { combineShares } from './shamir.ts';

/** How far a round of shares has come. */
export interface Progress {
  readonly count: number;
  /** Names the round; empty while there is none. */
  readonly nonce: string;
}

/** The unsealing of one server: all its processes share one round of shares, and are open or sealed together. */
export interface Unsealing {
  /**
   * Takes one share. Answers the root key, the caller's to wipe, where it completes the threshold. Errors: as
   * `Barrier.submit`.
   */
  submit(record: SealRecord, share: Buffer): Awaitable<Buffer | undefined>;
  /** Throws the progress away. 429: too many attempts. */
  reset(): Awaitable<void>;
  progress(): Awaitable<Progress>;
  /** This process was opened by this key; the others are too when it resolves. */
  opened(rootKey: Buffer): Awaitable<void>;
  /** This process has dropped its keys; the others have too when it resolves. */
  sealed(): Awaitable<void>;
}

/** The unsealing of a server that is one process: gets the root key out of the seal's record. */
export class Unsealer implements Unsealing {
  readonly #shares = new ShareProgress();
  readonly #seal: Seal | undefined;
  readonly #pace: UnsealPace;

  constructor(seal: Seal | undefined, clock: Clock) {
    this.#seal = seal;
    this.#pace = new UnsealPace(clock);
  }

  progress(): Progress {
    const { count, nonce } = this.#shares;
    return { count, nonce };
  }

  /** Recovery shares only prove that their holders agree; the device opens. */
  async submit(record: SealRecord, share: Buffer): Promise<Buffer | undefined> {
    this.#pace.share();
    // One share is the key itself; others carry their x in a byte more.
    const length = record.threshold === 1 ? KEY_BYTES : KEY_BYTES + 1;
    if (share.length !== length) throw badRequest(`key: a share of this server is ${length} bytes long`);
    this.#shares.add(share);
    if (this.#shares.count < record.threshold) return undefined;
    const shares = this.#shares.take();
    const shareKey = combineShares(shares);
    wipe(shares);
    try {
      const { check } = record;
      if (check === undefined) return this.#tried(() => unwrapByKey(shareKey, record.root));
      wipe([this.#tried(() => unwrapByKey(shareKey, check))]);
      return await unwrapByDevice(this.#seal, record);
    } finally {
      shareKey.fill(0);
    }
  }

  /** Paced as a share is, or a stranger could keep honest holders from ever finishing. */
  reset(): void {
    this.#pace.share();
    this.#shares.reset();
  }

  opened(): void {
    this.#shares.reset();
  }

  sealed(): void {
    this.#shares.reset();
  }

  #tried(unwrap: () => Buffer): Buffer {
    try {
      return unwrap();
    } catch (error) {
      if (!(error instanceof CorruptRecord)) throw error;
      this.#pace.wrongTry();
      throw wrongShares();
    }
  }
}

const wrongShares = (): ServiceError =>
  badRequest('key: these shares do not open the server; give all shares again, from the first');

/** The root key by the device of the configuration, the caller's to wipe. Throws where it is another kind of device. */
export async function unwrapByDevice(seal: Seal | undefined, { type, root }: SealRecord): Promise<Buffer> {
  if (seal?.type !== type) {
    throw new Error(`the data is sealed by "${type}", which is not the seal of the configuration`);
  }
  return seal.unwrap(root);
}
