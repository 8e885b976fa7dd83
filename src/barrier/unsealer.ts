import { badRequest, type ServiceError } from '../framework/errors.ts';
import { CorruptRecord } from './errors.ts';
import { KEY_BYTES } from './keyring.ts';
import { type Clock, UnsealPace } from './pace.ts';
import { ShareProgress, wipe } from './progress.ts';
import { type Seal, type SealRecord, unwrapByKey } from './seal.ts';
import { combineShares } from './shamir.ts';

/** Gets the root key out of the seal's record: by shares, or by the device. */
export class Unsealer {
  readonly progress = new ShareProgress();
  readonly #seal: Seal | undefined;
  readonly #pace: UnsealPace;

  constructor(seal: Seal | undefined, clock: Clock) {
    this.#seal = seal;
    this.#pace = new UnsealPace(clock);
  }

  /**
   * Takes one share. Answers the root key, the caller's to wipe, where it completes the threshold. Recovery shares only
   * prove that their holders agree; the device opens. Errors: as `Barrier.submit`.
   */
  async submit(record: SealRecord, share: Buffer): Promise<Buffer | undefined> {
    this.#pace.share();
    // One share is the key itself; others carry their x in a byte more.
    const length = record.threshold === 1 ? KEY_BYTES : KEY_BYTES + 1;
    if (share.length !== length) throw badRequest(`key: a share of this server is ${length} bytes long`);
    this.progress.add(share);
    if (this.progress.count < record.threshold) return undefined;
    const shares = this.progress.take();
    const shareKey = combineShares(shares);
    wipe(shares);
    try {
      const { check } = record;
      if (check === undefined) return this.#tried(() => unwrapByKey(shareKey, record.root));
      wipe([this.#tried(() => unwrapByKey(shareKey, check))]);
      return await this.byDevice(record);
    } finally {
      shareKey.fill(0);
    }
  }

  /** Throws the progress away; paced as a share is, or a stranger could keep honest holders from ever finishing. */
  reset(): void {
    this.#pace.share();
    this.progress.reset();
  }

  /** The root key by the device of the configuration, the caller's to wipe. Throws where it is another kind of device. */
  async byDevice(record: SealRecord): Promise<Buffer> {
    if (this.#seal?.type !== record.type) {
      throw new Error(`the data is sealed by "${record.type}", which is not the seal of the configuration`);
    }
    return this.#seal.unwrap(record.root);
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
