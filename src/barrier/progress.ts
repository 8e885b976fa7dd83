import { randomUUID, timingSafeEqual } from 'node:crypto';

/** The shares given so far, at most a threshold of them. */
export class ShareProgress {
  #shares: Buffer[] = [];
  #nonce = '';

  get count(): number {
    return this.#shares.length;
  }

  /** Names this round of shares; empty while there is none. */
  get nonce(): string {
    return this.#nonce;
  }

  /** Keeps a copy, unless this share is there already. */
  add(share: Buffer): void {
    if (this.#shares.some((held) => held.length === share.length && timingSafeEqual(held, share))) return;
    if (this.#nonce === '') this.#nonce = randomUUID();
    this.#shares.push(Buffer.from(share));
  }

  /** Hands the shares over, theirs to wipe, and begins anew. */
  take(): readonly Buffer[] {
    const shares = this.#shares;
    this.#shares = [];
    this.#nonce = '';
    return shares;
  }

  /** Throws the shares away. */
  reset(): void {
    wipe(this.take());
  }
}

/** Overwrites keys that are done with. */
export function wipe(keys: readonly Buffer[]): void {
  for (const key of keys) key.fill(0);
}
