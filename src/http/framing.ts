import type { Head } from './head.ts';
import type { Headers } from './message.ts';
import { HOST, OCTETS } from './octets.ts';
import { bodyTooLarge, malformed, unknownExpectation } from './refusals.ts';

/** Length of a body that says itself where it ends. */
export const CHUNKED = -1;

/** How the message goes on after its head, and what becomes of the connection. */
export interface Framing {
  /** Bytes of the body, or CHUNKED. */
  readonly length: number;
  readonly keepAlive: boolean;
  /** The client waits for a 100 before it sends the body (RFC 9110 §10.1.1). */
  readonly awaitsContinue: boolean;
}

const LENGTH_DIGITS = 16;

/**
 * Decides the framing of a request (RFC 9112 §6.3), refusing whatever two readers could understand in two ways. Throws
 * ServiceError 400, 413 (from the declared length) or 417.
 */
export function framingOf(head: Head, bodyBytes: number): Framing {
  checkHost(head);
  const length = bodyLength(head);
  if (length > bodyBytes) throw bodyTooLarge(bodyBytes);
  return { length, keepAlive: keepsAlive(head), awaitsContinue: awaitsContinue(head) && length !== 0 };
}

/** RFC 9112 §3.2: exactly one Host in HTTP/1.1, at most one in HTTP/1.0. */
function checkHost(head: Head): void {
  const host = only(head.headers, 'host', 'Host');
  if (host === undefined) {
    if (head.minor === 1) throw malformed('the Host header is missing');
    return;
  }
  for (let i = 0; i < host.length; i++) {
    if (((OCTETS[host.charCodeAt(i)] ?? 0) & HOST) === 0) throw malformed('the Host header is not a host and port');
  }
}

function bodyLength(head: Head): number {
  const coding = only(head.headers, 'transfer-encoding', 'Transfer-Encoding');
  const length = only(head.headers, 'content-length', 'Content-Length');
  if (coding === undefined) return length === undefined ? 0 : parseLength(length);
  if (length !== undefined) throw malformed('Content-Length and Transfer-Encoding exclude each other');
  if (head.minor === 0) throw malformed('HTTP/1.0 has no Transfer-Encoding');
  if (coding !== 'chunked') throw malformed('the only Transfer-Encoding taken is chunked');
  return CHUNKED;
}

function parseLength(text: string): number {
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) length = Number.NaN;
    length = length * 10 + digit;
  }
  if (text.length === 0 || text.length > LENGTH_DIGITS || !Number.isSafeInteger(length)) {
    throw malformed('the Content-Length is not a decimal number of bytes');
  }
  return length;
}

/** RFC 9112 §9.3. */
function keepsAlive(head: Head): boolean {
  const connection = head.headers.get('connection');
  if (connection === undefined) return head.minor === 1;
  if (connection === 'keep-alive') return true;
  const options = connection
    .toLowerCase()
    .split(',')
    .map((option) => option.trim());
  return !options.includes('close') && (head.minor === 1 || options.includes('keep-alive'));
}

function awaitsContinue(head: Head): boolean {
  const expectation = head.headers.get('expect');
  if (expectation === undefined || head.minor === 0) return false;
  if (expectation.toLowerCase() !== '100-continue') throw unknownExpectation();
  return true;
}

/** The value of a field that may stand once; undefined when it is absent. */
function only(headers: Headers, name: string, shown: string): string | undefined {
  const lines = headers.lines(name);
  if (lines.length > 1) throw malformed(`the ${shown} header stands twice`);
  return lines[0];
}
