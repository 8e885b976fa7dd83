import { type Progress, type SealRecord, sealedError, type Unsealing } from '../barrier/index.ts';

/** A process of the server, as far as opening and sealing go. Both resolve also where it did not do it and is ended for that. */
export interface Member {
  /** Times that it was told to shut. */
  readonly shuts: number;
  open(rootKey: Buffer): Promise<void>;
  shut(): Promise<void>;
}

/**
 * What the processes of one server share: the round of shares, and, while the server is open, its root key, for the
 * processes that are started later. All are opened and sealed together, one change after the other.
 */
export class Custody {
  readonly #unsealing: Unsealing;
  readonly #members: () => Iterable<Member>;
  #rootKey: Buffer | undefined;
  #last: Promise<void> = Promise.resolve();

  /** `unsealing` takes the shares; `members` are all processes that have been started. */
  constructor(unsealing: Unsealing, members: () => Iterable<Member>) {
    this.#unsealing = unsealing;
    this.#members = members;
  }

  /** While the server is open; it stays the custody's. */
  get rootKey(): Buffer | undefined {
    return this.#rootKey;
  }

  /** As `Unsealing.submit`: who completes the round opens itself first, and then says `opened`. */
  submit(record: SealRecord, share: Buffer): Promise<Buffer | undefined> {
    return Promise.resolve(this.#unsealing.submit(record, share));
  }

  async reset(): Promise<void> {
    await this.#unsealing.reset();
  }

  async progress(): Promise<Progress> {
    return this.#unsealing.progress();
  }

  /** Opens the others. 503 where `by` had not heard yet that the server was sealed: `shuts` are those that it knows of. */
  opened(by: Member, rootKey: Buffer, shuts: number): Promise<void> {
    return this.#next(async () => {
      if (shuts !== by.shuts) throw sealedError();
      this.#rootKey?.fill(0);
      this.#rootKey = Buffer.from(rootKey);
      await this.#unsealing.opened(rootKey);
      const others = [...this.#members()].filter((member) => member !== by);
      await Promise.all(others.map((member) => member.open(rootKey)));
    });
  }

  /** Forgets the key and seals all; who asked for it may have been opened again since, by a change that came before. */
  sealed(): Promise<void> {
    return this.#next(async () => {
      this.#rootKey?.fill(0);
      this.#rootKey = undefined;
      await this.#unsealing.sealed();
      await Promise.all([...this.#members()].map((member) => member.shut()));
    });
  }

  #next(change: () => Promise<void>): Promise<void> {
    const done = this.#last.then(change);
    this.#last = done.catch(() => {});
    return done;
  }
}
