const EMPTY = Buffer.alloc(0);
const SMALLEST = 4096;

/**
 * Bytes received and not yet read, in one piece from `start` to `end` of `bytes`. A piece that comes when nothing waits is
 * taken as it is; bytes once handed out are never written again, so views of them stay good.
 */
export class Inbox {
  bytes: Buffer = EMPTY;
  start = 0;
  end = 0;
  #own = false;

  get length(): number {
    return this.end - this.start;
  }

  push(piece: Buffer): void {
    const length = this.length;
    if (length === 0) {
      this.bytes = piece;
      this.start = 0;
      this.end = piece.length;
      this.#own = false;
      return;
    }
    if (!this.#own || this.end + piece.length > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(SMALLEST, 2 * (length + piece.length)));
      larger.set(this.bytes.subarray(this.start, this.end));
      this.bytes = larger;
      this.start = 0;
      this.end = length;
      this.#own = true;
    }
    this.bytes.set(piece, this.end);
    this.end += piece.length;
  }

  /** Everything before `position` is read. */
  readTo(position: number): void {
    this.start = position;
    if (position === this.end) this.clear();
  }

  clear(): void {
    this.bytes = EMPTY;
    this.start = 0;
    this.end = 0;
    this.#own = false;
  }
}
