import { STATUS_CODES } from 'node:http';
import type { ServiceError } from '../framework/errors.ts';
import type { Clock } from './clock.ts';
import type { HttpReply } from './message.ts';
import { OCTETS, TOKEN } from './octets.ts';

export type HeaderList = readonly (readonly [string, string])[];

/** On every answer: no cache keeps it, no browser guesses its type or runs what stands in it (known-attacks G9). */
export const STANDARD_HEADERS: HeaderList = [
  ['Cache-Control', 'no-store'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
];

const JSON_TYPE = 'application/json';
/** Set by the front alone; a handler that set them could break the framing. */
const FRAMING = new Set(['connection', 'content-length', 'content-type', 'date', 'transfer-encoding']);

/** Whether every answer of the front has this header, so that it is nobody else's to set; in lower case. */
export const isOfTheFront = (name: string): boolean =>
  FRAMING.has(name) || STANDARD_HEADERS.some(([standard]) => standard.toLowerCase() === name);

/** What the connection adds to the head of an answer: the header that ends or keeps it, or nothing. */
export type Persistence = '' | 'Connection: close\r\n' | 'Connection: keep-alive\r\n';

/** Renders the heads of answers. What is the same for a second is made once a second. */
export class ReplyHeads {
  readonly #clock: Clock;
  readonly #standard: HeaderList;
  readonly #standardLines: string;
  #date = '';
  /** Of plain JSON answers, by status: everything up to the length. */
  readonly #tops = new Map<number, string>();

  constructor(clock: Clock, standard: HeaderList) {
    this.#clock = clock;
    this.#standard = standard;
    this.#standardLines = render(standard);
  }

  /**
   * The head of an answer with its empty line. `length` in bytes; 'chunked' for a body of unknown length, 'to-end' for one
   * that ends with the connection. Throws when the handler's status or headers cannot be sent.
   */
  head(reply: HttpReply, length: number | 'chunked' | 'to-end', persistence: Persistence): string {
    const extra = reply.headers ?? [];
    if (extra.length === 0 && reply.contentType === undefined && typeof length === 'number') {
      const top = this.#jsonTop(reply.status);
      if (!bodiless(reply.status)) return `${top}Content-Length: ${length}\r\n${persistence}\r\n`;
    }
    for (const header of extra) check(header);
    const type = bodiless(reply.status) ? '' : render([['Content-Type', reply.contentType ?? JSON_TYPE]], true);
    const lines = extra.length === 0 ? this.#standardLines : render(this.#without(extra)) + render(extra);
    return `${statusLine(reply.status)}${type}${lines}Date: ${this.#clock.date}\r\n${lengthLine(reply.status, length)}${persistence}\r\n`;
  }

  #jsonTop(status: number): string {
    if (this.#clock.date !== this.#date) {
      this.#date = this.#clock.date;
      this.#tops.clear();
    }
    let top = this.#tops.get(status);
    if (top === undefined) {
      top = `${statusLine(status)}Content-Type: ${JSON_TYPE}\r\n${this.#standardLines}Date: ${this.#date}\r\n`;
      this.#tops.set(status, top);
    }
    return top;
  }

  #without(replaced: HeaderList): HeaderList {
    const names = new Set(replaced.map(([name]) => name.toLowerCase()));
    return this.#standard.filter(([name]) => !names.has(name.toLowerCase()));
  }
}

/** The answer to a request that is refused: the sentences, nothing of the request (known-attacks G8). */
export function errorReply(error: ServiceError): HttpReply {
  return { status: error.status, headers: error.headers, body: `${JSON.stringify({ errors: error.errors })}\n` };
}

/** Whether answers of this status never have a body (RFC 9110 §6.4.1). */
export const bodiless = (status: number): boolean => status === 204 || status === 304;

/** Throws when a header has a name or value that would not arrive as it is, or that is the front's to set. */
export function check([name, value]: readonly [string, string], framing = false): void {
  let sound = name.length > 0 && (framing || !FRAMING.has(name.toLowerCase()));
  for (let i = 0; i < name.length; i++) sound &&= ((OCTETS[name.charCodeAt(i)] ?? 0) & TOKEN) !== 0;
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    sound &&= (code >= 0x20 && code < 0x7f) || code === 0x09;
  }
  if (!sound) throw new TypeError(`an answer has a header that cannot be sent: ${JSON.stringify(name)}`);
}

function render(headers: HeaderList, checked = false): string {
  if (checked) for (const header of headers) check(header, true);
  return headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
}

function statusLine(status: number): string {
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new TypeError(`no status of an answer: ${status}`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`;
}

function lengthLine(status: number, length: number | 'chunked' | 'to-end'): string {
  if (bodiless(status) || length === 'to-end') return '';
  return length === 'chunked' ? 'Transfer-Encoding: chunked\r\n' : `Content-Length: ${length}\r\n`;
}
