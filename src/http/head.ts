import { Fields, lengthBit } from './fields.ts';
import type { Limits } from './limits.ts';
import type { Headers } from './message.ts';
import { COLON, CR, LF, OCTETS, SLASH, SPACE, TAB, TARGET, TOKEN, VALUE } from './octets.ts';
import { headTooLarge, malformed, targetTooLong, wrongVersion } from './refusals.ts';

/** A request line and its header fields. */
export interface Head {
  readonly method: string;
  readonly target: string;
  /** 1 for HTTP/1.1, 0 for HTTP/1.0. */
  readonly minor: 0 | 1;
  readonly headers: Headers;
}

const METHOD_BYTES = 32;
const VERSION = Buffer.from('HTTP/1.', 'latin1');
const UNFINISHED = -1;

/**
 * Reads one head (RFC 9112 §§2–5) in one pass over its bytes, strictly: CRLF alone ends a line, nothing is folded, nothing
 * stands before the colon but the name. When bytes are missing it goes on later from the line it was in, so a head sent
 * byte by byte is not read from its start each time.
 */
export class HeadReader {
  readonly #limits: Limits;
  /** Offset of the first line not yet read, from the start of the head. */
  #line = 0;
  #begin = 0;
  #methodEnd = 0;
  #targetEnd = 0;
  #minor: 0 | 1 = 1;
  #started = false;
  #places: number[] = [];
  #lengths = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /**
   * Reads on in `bytes`, where the head begins at `start` and what has arrived ends at `end`. Answers the position after
   * the head, or -1 while it is incomplete. Throws ServiceError 400, 414, 431 or 505.
   */
  read(bytes: Uint8Array, start: number, end: number): number {
    const after = this.#lines(bytes, start, end);
    if ((after < 0 ? end : after) - start > this.#limits.headerBytes) {
      throw headTooLarge(`the head of the request is larger than ${this.#limits.headerBytes} bytes`);
    }
    return after;
  }

  /** The head that `read` found in `bytes` from `start` up to `after`; the reader is then ready for the next one. */
  take(bytes: Buffer, start: number, after: number): Head {
    const text = bytes.toString('latin1', start, after);
    const head: Head = {
      method: text.slice(this.#begin, this.#methodEnd),
      target: text.slice(this.#methodEnd + 1, this.#targetEnd),
      minor: this.#minor,
      headers: new Fields(text, this.#places, this.#lengths),
    };
    this.#line = 0;
    this.#begin = 0;
    this.#started = false;
    this.#places = [];
    this.#lengths = 0;
    return head;
  }

  #lines(bytes: Uint8Array, start: number, end: number): number {
    if (!this.#started) {
      const next = this.#requestLine(bytes, start, end);
      if (next < 0) return UNFINISHED;
      this.#started = true;
      this.#line = next - start;
    }
    for (;;) {
      const at = start + this.#line;
      if (at >= end) return UNFINISHED;
      if (bytes[at] === CR) {
        if (at + 1 === end) return UNFINISHED;
        if (bytes[at + 1] !== LF) throw malformed('a line of the head does not end in CR LF');
        return at + 2;
      }
      const next = this.#field(bytes, start, at, end);
      if (next < 0) return UNFINISHED;
      this.#line = next - start;
    }
  }

  #requestLine(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    // One empty line before a request is passed over, as RFC 9112 §2.2 asks; a second one is not.
    if (bytes[at] === CR) {
      if (at + 1 === end) return UNFINISHED;
      if (bytes[at + 1] !== LF) throw malformed('a line of the head does not end in CR LF');
      at += 2;
    }
    this.#begin = at - start;
    let i = at;
    while (i < end && ((OCTETS[bytes[i] ?? 0] ?? 0) & TOKEN) !== 0) i++;
    if (i - at > METHOD_BYTES) throw malformed(`the method is longer than ${METHOD_BYTES} characters`);
    if (i === end) return UNFINISHED;
    if (i === at || bytes[i] !== SPACE) throw malformed('the request line does not begin with a method and one space');
    this.#methodEnd = i - start;

    const target = ++i;
    if (i === end) return UNFINISHED;
    if (bytes[i] !== SLASH) throw malformed('the request target does not begin with a slash');
    const stop = Math.min(end, target + this.#limits.targetBytes + 1);
    while (i < stop && ((OCTETS[bytes[i] ?? 0] ?? 0) & TARGET) !== 0) i++;
    if (i - target > this.#limits.targetBytes) throw targetTooLong(this.#limits.targetBytes);
    if (i === end) return UNFINISHED;
    if (bytes[i] !== SPACE) throw malformed('the request target holds a character that must be percent-encoded');
    this.#targetEnd = i - start;
    return this.#version(bytes, i + 1, end);
  }

  #version(bytes: Uint8Array, from: number, end: number): number {
    const digit = from + VERSION.length;
    for (let i = from; i < digit; i++) {
      if (i === end) return UNFINISHED;
      if (bytes[i] !== VERSION[i - from]) throw wrongVersion();
    }
    if (digit === end) return UNFINISHED;
    const minor = (bytes[digit] ?? 0) - 0x30;
    if (minor !== 0 && minor !== 1) throw wrongVersion();
    this.#minor = minor;
    if (digit + 1 === end) return UNFINISHED;
    if (bytes[digit + 1] !== CR) throw malformed('the request line does not end in CR LF');
    if (digit + 2 === end) return UNFINISHED;
    if (bytes[digit + 2] !== LF) throw malformed('the request line does not end in CR LF');
    return digit + 3;
  }

  #field(bytes: Uint8Array, start: number, at: number, end: number): number {
    const limit = this.#limits.headerLineBytes;
    const stop = Math.min(end, at + limit + 1);
    let i = at;
    while (i < stop && ((OCTETS[bytes[i] ?? 0] ?? 0) & TOKEN) !== 0) i++;
    const colon = i;
    if (i < stop && (i === at || bytes[i] !== COLON)) {
      throw malformed('a header line does not begin with a name and a colon; folded lines are not taken');
    }
    i++;
    while (i < stop && (bytes[i] === SPACE || bytes[i] === TAB)) i++;
    const value = i;
    while (i < stop && ((OCTETS[bytes[i] ?? 0] ?? 0) & VALUE) !== 0) i++;
    if (i >= stop) {
      if (stop - at > limit) throw headTooLarge(`a header line is longer than ${limit} bytes`);
      return UNFINISHED;
    }
    if (bytes[i] !== CR) throw malformed('a header line holds a control character or does not end in CR LF');
    if (i + 1 === end) return UNFINISHED;
    if (bytes[i + 1] !== LF) throw malformed('a header line does not end in CR LF');
    let last = i;
    while (last > value && (bytes[last - 1] === SPACE || bytes[last - 1] === TAB)) last--;
    if (this.#places.length >= this.#limits.headerCount * 4) {
      throw headTooLarge(`the request has more than ${this.#limits.headerCount} header lines`);
    }
    this.#lengths |= lengthBit(colon - at);
    this.#places.push(at - start, colon - start, value - start, last - start);
    return i + 2;
  }
}
