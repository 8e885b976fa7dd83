import type { BodyBuffer } from './body.ts';
import { CR, LF } from './octets.ts';
import { malformed } from './refusals.ts';

const SIZE_DIGITS = 16;

/** Where in the coding the next byte stands. */
type Place = 'size' | 'size-lf' | 'data' | 'data-cr' | 'data-lf' | 'last-cr' | 'last-lf' | 'done';

/** Decodes a chunked body (RFC 9112 §7.1) without extensions and trailers, which are refused with 400. */
export class ChunkedDecoder {
  readonly #body: BodyBuffer;
  #place: Place = 'size';
  #digits = 0;
  #size = 0;

  constructor(body: BodyBuffer) {
    this.#body = body;
  }

  get done(): boolean {
    return this.#place === 'done';
  }

  /** Takes bytes from `start` to `end` and answers the position of the first one that is not the body's. */
  read(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end && this.#place !== 'done') {
      if (this.#place === 'data') {
        const stop = Math.min(end, at + this.#size);
        this.#body.append(bytes, at, stop);
        this.#size -= stop - at;
        at = stop;
        if (this.#size === 0) this.#place = 'data-cr';
      } else {
        this.#step(bytes[at++] ?? 0);
      }
    }
    return at;
  }

  #step(byte: number): void {
    switch (this.#place) {
      case 'size':
        if (byte === CR && this.#digits > 0) this.#place = 'size-lf';
        else this.#digit(byte);
        return;
      case 'size-lf':
        this.#expect(byte, LF);
        this.#digits = 0;
        this.#place = this.#size === 0 ? 'last-cr' : 'data';
        if (this.#size > 0) this.#body.announce(this.#size);
        return;
      case 'data-cr':
        this.#expect(byte, CR);
        this.#place = 'data-lf';
        return;
      case 'data-lf':
        this.#expect(byte, LF);
        this.#place = 'size';
        return;
      case 'last-cr':
        if (byte !== CR) throw malformed('trailers after the last chunk are not taken');
        this.#place = 'last-lf';
        return;
      case 'last-lf':
        this.#expect(byte, LF);
        this.#place = 'done';
        return;
      case 'data':
      case 'done':
        return;
    }
  }

  #digit(byte: number): void {
    const value = hexValue(byte);
    if (value < 0 || ++this.#digits > SIZE_DIGITS) {
      throw malformed('a chunk size is not 1 to 16 hexadecimal digits; chunk extensions are not taken');
    }
    this.#size = this.#size * 16 + value;
  }

  #expect(byte: number, wanted: number): void {
    if (byte !== wanted) throw malformed('a chunk does not end where its size says');
  }
}

function hexValue(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
