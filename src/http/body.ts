import { bodyTooLarge, noRoom } from './refusals.ts';

/** What all connections of a listener together may hold of bodies and unread bytes. */
export class Budget {
  readonly #limit: number;
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get held(): number {
    return this.#held;
  }

  get exceeded(): boolean {
    return this.#held > this.#limit;
  }

  /** Throws ServiceError 503 when the bytes do not fit. */
  take(bytes: number): void {
    if (this.#held + bytes > this.#limit) throw noRoom();
    this.#held += bytes;
  }

  /** Counts bytes that are there in any case, or are gone again when negative; they leave less for others. */
  add(bytes: number): void {
    this.#held += bytes;
  }

  give(bytes: number): void {
    this.#held -= bytes;
  }
}

const FIRST_SEGMENT = 16 * 1024;
const LARGEST_SEGMENT = 1024 * 1024;
/** The whole is allocated when one part in so many has come; its pages are the system's until bytes are put into them. */
const WHOLE_FROM = 8;

/**
 * Gathers a body of at most `expected` bytes. Memory follows what was received, not what was declared: segments grow with
 * the body, and only when an eighth of the expected bytes is there is the whole allocated and the rest written in place.
 */
export class BodyBuffer {
  readonly #expected: number;
  readonly #budget: Budget;
  #segments: Buffer[] = [];
  #segment: Buffer;
  #used = 0;
  /** Bytes in the segments before the current one. */
  #before = 0;
  #taken = 0;

  constructor(expected: number, budget: Budget) {
    this.#expected = expected;
    this.#budget = budget;
    this.#segment = Buffer.allocUnsafe(Math.min(expected, FIRST_SEGMENT));
  }

  get length(): number {
    return this.#before + this.#used;
  }

  /** Refuses with 413 a piece of `bytes` bytes that would not fit, before it arrives. */
  announce(bytes: number): void {
    if (this.length + bytes > this.#expected) throw bodyTooLarge(this.#expected);
  }

  /** Copies a piece. Throws ServiceError 413 or 503. */
  append(bytes: Uint8Array, start: number, end: number): void {
    this.announce(end - start);
    this.#budget.take(end - start);
    this.#taken += end - start;
    let at = start;
    while (at < end) {
      if (this.#used === this.#segment.length) this.#grow();
      const count = Math.min(end - at, this.#segment.length - this.#used);
      this.#segment.set(bytes.subarray(at, at + count), this.#used);
      this.#used += count;
      at += count;
    }
  }

  /** The body in one piece. */
  finish(): Buffer {
    const tail = this.#segment.subarray(0, this.#used);
    return this.#segments.length === 0 ? tail : Buffer.concat([...this.#segments, tail], this.length);
  }

  /** Gives what the body held back to the budget, once nobody needs it. */
  release(): void {
    this.#budget.give(this.#taken);
    this.#taken = 0;
  }

  #grow(): void {
    const length = this.length;
    if (length * WHOLE_FROM >= this.#expected) {
      const whole = Buffer.allocUnsafeSlow(this.#expected);
      let at = 0;
      for (const segment of [...this.#segments, this.#segment]) {
        whole.set(segment, at);
        at += segment.length;
      }
      this.#segments = [];
      this.#before = 0;
      this.#used = length;
      this.#segment = whole;
      return;
    }
    this.#segments.push(this.#segment);
    this.#before = length;
    this.#used = 0;
    const wanted = Math.min(LARGEST_SEGMENT, Math.max(FIRST_SEGMENT, length), this.#expected - length);
    this.#segment = Buffer.allocUnsafeSlow(wanted);
  }
}
