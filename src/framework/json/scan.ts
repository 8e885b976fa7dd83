import { isUtf8 } from 'node:buffer';
import { badRequest } from '../errors.ts';
import { isBlank, isDigit, isHexDigit, skipBlank } from './bytes.ts';

/** Objects and arrays may stand this deep in each other; the outermost is at depth 1. */
export const maxDepth = 512;

/** Members and elements of all objects and arrays of one text together; the outermost value is not counted. */
export const maxValues = 150_000;

/**
 * A validated text. `containers` holds two numbers for each object and array, in the order of their opening brackets:
 * the byte after the closing bracket, and the ordinal of the first container opened after it. With it a reader steps
 * over a nested value at once, so walking a deep text level by level stays linear in its size.
 */
export interface Layout {
  readonly bytes: Buffer;
  /** The first byte of the outermost value, and the one after its last. */
  readonly start: number;
  readonly end: number;
  readonly containers: Uint32Array;
}

// Scanning is synchronous and never nests, so all scans share their working memory; a refused body leaves nothing.
const openOrdinals = new Uint32Array(maxDepth);
const openBrackets = new Uint8Array(maxDepth);
const keptScratch = new Uint32Array(2 * 4096);
let containerScratch = keptScratch;

/**
 * Validates a whole text in one pass over its bytes, without recursion (RFC 8259, strict; UTF-8 without a byte order
 * mark; numbers within a double; `maxDepth`; `maxValues`).
 * @param what the name of the text in the sentence of a refusal
 * @throws ServiceError 400 that names the byte offset and never repeats the text
 */
export function scan(bytes: Buffer, what: string): Layout {
  if (!isUtf8(bytes)) throw badRequest(`${what}: not valid UTF-8; JSON is UTF-8 text`);
  try {
    return scanValue(bytes, what);
  } finally {
    containerScratch = keptScratch;
  }
}

function scanValue(bytes: Buffer, what: string): Layout {
  const start = skipBlank(bytes, 0);
  let at = start;
  let depth = 0;
  let values = 0;
  let containers = 0;
  for (;;) {
    // Here a value begins.
    const first = bytes[at];
    let empty = false;
    if (first === 0x22) {
      at = scanString(bytes, at, what);
    } else if (first === 0x7b || first === 0x5b) {
      if (depth === maxDepth) throw malformed(what, at, `more than ${maxDepth} objects and arrays in each other`);
      openOrdinals[depth] = containers;
      openBrackets[depth] = first;
      depth += 1;
      containers += 1;
      if (2 * containers > containerScratch.length) growScratch();
      at = skipBlank(bytes, at + 1);
      empty = bytes[at] === first + 2;
      if (!empty) {
        values = count(values, what);
        if (first === 0x7b) at = scanName(bytes, at, what);
        continue;
      }
    } else {
      at = scanScalar(bytes, at, what);
    }
    // Here a value has ended, or an empty container is about to.
    for (;;) {
      if (!empty) at = skipBlank(bytes, at);
      if (depth === 0) {
        if (at < bytes.length) throw malformed(what, at, 'something follows after the end of the value');
        return { bytes, start, end: endOf(bytes, at), containers: containerScratch.slice(0, 2 * containers) };
      }
      const next = bytes[at];
      const bracket = openBrackets[depth - 1];
      if (next === 0x2c && !empty) {
        values = count(values, what);
        at = skipBlank(bytes, at + 1);
        if (bracket === 0x7b) at = scanName(bytes, at, what);
        break;
      }
      if (bracket === undefined || next !== bracket + 2) {
        throw malformed(what, at, `a comma or a closing ${bracket === 0x7b ? 'brace' : 'bracket'} was expected`);
      }
      empty = false;
      at += 1;
      depth -= 1;
      const ordinal = openOrdinals[depth] ?? 0;
      containerScratch[2 * ordinal] = at;
      containerScratch[2 * ordinal + 1] = containers;
    }
  }
}

function count(values: number, what: string): number {
  if (values === maxValues) throw badRequest(`${what}: more than ${maxValues} members and elements`);
  return values + 1;
}

/** The end of the outermost value, given where the text ends. */
function endOf(bytes: Buffer, size: number): number {
  let end = size;
  while (isBlank(bytes[end - 1])) end -= 1;
  return end;
}

/** Room for as many containers as `maxValues` admits; pages that are not written cost nothing. */
function growScratch(): void {
  const grown = new Uint32Array(2 * (maxValues + 1));
  grown.set(containerScratch);
  containerScratch = grown;
}

/** A member's name and its colon; answers where the member's value begins. */
function scanName(bytes: Buffer, start: number, what: string): number {
  if (bytes[start] !== 0x22) throw malformed(what, start, 'the name of a member in double quotes was expected');
  const at = skipBlank(bytes, scanString(bytes, start, what));
  if (bytes[at] !== 0x3a) throw malformed(what, at, 'a colon was expected after the name of a member');
  return skipBlank(bytes, at + 1);
}

function scanString(bytes: Buffer, start: number, what: string): number {
  let at = start + 1;
  for (;;) {
    const byte = bytes[at];
    if (byte === 0x22) return at + 1;
    if (byte === undefined) throw malformed(what, at, 'a string does not end');
    if (byte < 0x20) throw malformed(what, at, 'a control character in a string must be written as an escape');
    at = byte === 0x5c ? scanEscape(bytes, at, what) : at + 1;
  }
}

function scanEscape(bytes: Buffer, start: number, what: string): number {
  switch (bytes[start + 1]) {
    case 0x22: // "
    case 0x2f: // /
    case 0x5c: // \
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return start + 2;
    case 0x75: // u
      for (let at = start + 2; at < start + 6; at += 1) {
        if (!isHexDigit(bytes[at])) throw malformed(what, at, 'four hexadecimal digits were expected in an escape');
      }
      return start + 6;
    default:
      throw malformed(what, start, 'no escape that JSON knows');
  }
}

const literals: ReadonlyMap<number, Buffer> = new Map(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Buffer.from(word)]),
);
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

function spells(bytes: Buffer, start: number, word: Buffer): boolean {
  for (let i = 0; i < word.length; i += 1) if (bytes[start + i] !== word[i]) return false;
  return true;
}

/** A number or a literal. */
function scanScalar(bytes: Buffer, start: number, what: string): number {
  const first = bytes[start];
  if (first === 0x2d || isDigit(first)) return scanNumber(bytes, start, what);
  const literal = first === undefined ? undefined : literals.get(first);
  if (literal !== undefined && spells(bytes, start, literal)) return start + literal.length;
  if (start === 0 && spells(bytes, 0, byteOrderMark)) throw malformed(what, start, 'a byte order mark is not allowed');
  throw malformed(what, start, 'a value was expected');
}

function scanNumber(bytes: Buffer, start: number, what: string): number {
  let at = bytes[start] === 0x2d ? start + 1 : start;
  if (bytes[at] === 0x30) {
    at += 1;
    if (isDigit(bytes[at])) throw malformed(what, at, 'a number has no leading zero');
  } else {
    at = scanDigits(bytes, at, what);
  }
  if (bytes[at] === 0x2e) at = scanDigits(bytes, at + 1, what);
  let exponentDigits = 0;
  if (bytes[at] === 0x45 || bytes[at] === 0x65) {
    at += 1;
    if (bytes[at] === 0x2b || bytes[at] === 0x2d) at += 1;
    const end = scanDigits(bytes, at, what);
    exponentDigits = end - at;
    at = end;
  }
  // Two digits of exponent on under 200 of mantissa stay far below 1.8e308: most numbers need no conversion.
  if ((exponentDigits > 2 || at - start > 200) && !Number.isFinite(Number(bytes.toString('latin1', start, at)))) {
    throw malformed(what, start, 'a number too large for a double');
  }
  return at;
}

function scanDigits(bytes: Buffer, start: number, what: string): number {
  let at = start;
  while (isDigit(bytes[at])) at += 1;
  if (at === start) throw malformed(what, at, 'a digit was expected');
  return at;
}

const malformed = (what: string, at: number, reason: string) =>
  badRequest(`${what}: not valid JSON at byte ${at}: ${reason}`);
