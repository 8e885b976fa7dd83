import { badRequest, noHandler, redirect } from '../framework/errors.ts';

/** Bytes of a canonical path without `/v1/`, and of one of its segments (4-open-points, Conventions). */
export const MAX_PATH_BYTES = 1_024;
export const MAX_SEGMENT_BYTES = 512;

const PREFIX = '/v1/';

/** A request target taken apart. */
export interface Target {
  /** Canonical, decoded, without `/v1/`; a trailing slash is kept. */
  readonly path: string;
  /** As it stands behind the question mark. */
  readonly query: string;
}

/**
 * The canonical path of a request target, which everything later decides on: policy, storage, audit. A target that is
 * not canonical is refused with 400; only a doubled slash is sent to the clean path with 307 (4-open-points,
 * Conventions; RFC 3986 §6.2.2).
 *
 * @param target origin-form, printable ASCII, as the front hands it on
 */
export function parseTarget(target: string): Target {
  const mark = target.indexOf('?');
  const raw = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? '' : target.slice(mark + 1);
  const clean = raw.includes('//') ? collapse(raw) : raw;
  if (!clean.startsWith(PREFIX)) throw noHandler();
  const path = canonical(clean.slice(PREFIX.length));
  if (clean !== raw) throw redirect(mark === -1 ? clean : `${clean}?${query}`);
  return { path, query };
}

function collapse(raw: string): string {
  const segments = raw.split('/');
  const last = segments.length - 1;
  return segments.filter((segment, i) => segment !== '' || i === 0 || i === last).join('/');
}

function canonical(raw: string): string {
  const path = raw.includes('%') ? decode(raw) : raw;
  refuseUncanonical('path', path);
  return path;
}

/** 400 for a decoded path that no request has as its canonical one; a doubled slash is the caller's to look for. */
export function refuseUncanonical(field: string, path: string): void {
  let start = 0;
  for (let i = 0; i <= path.length; i++) {
    const c = i === path.length ? SLASH : path.charCodeAt(i);
    if (c === SLASH || c === BACKSLASH) {
      if (isDots(path, start, i))
        throw badRequest(`${field}: a segment "." or ".." is not allowed: give the path without it`);
      start = i + 1;
    } else if (c < 0x20 || (c >= 0x7f && c <= 0x9f)) {
      throw badRequest(`${field}: control characters are not allowed`);
    }
  }
  // A UTF-16 unit is at most three bytes of UTF-8, so most paths need no counting.
  if (path.length * 3 > MAX_SEGMENT_BYTES) checkLengths(field, path);
}

const SLASH = 0x2f;
const BACKSLASH = 0x5c;

function isDots(path: string, start: number, end: number): boolean {
  const length = end - start;
  return (length === 1 || length === 2) && path.charCodeAt(start) === 0x2e && path.charCodeAt(end - 1) === 0x2e;
}

function decode(raw: string): string {
  if (/%2f/i.test(raw)) throw badRequest('path: an encoded slash (%2F) is not allowed: a name holds no slash');
  try {
    return decodeURIComponent(raw);
  } catch {
    throw badRequest('path: a percent sign must start the escape of a valid UTF-8 byte sequence');
  }
}

function checkLengths(field: string, path: string): void {
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) throw badRequest(`${field}: must have at most ${MAX_PATH_BYTES} bytes`);
  for (const segment of path.split('/')) {
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) {
      throw badRequest(`${field}: each segment must have at most ${MAX_SEGMENT_BYTES} bytes`);
    }
  }
}

/** Fields of one form: no endpoint takes nearly as many, and each costs the others' time (known-attacks G1). */
const MAX_FIELDS = 10_000;

/** Form-encoded text (a query or a body) as names and values; of a name given twice the last counts. 400 if malformed. */
export function parseForm(what: string, text: string): Map<string, string> {
  const fields = new Map<string, string>();
  let count = 0;
  for (let start = 0; start < text.length; ) {
    if (++count > MAX_FIELDS) throw badRequest(`${what}: must have at most ${MAX_FIELDS} fields`);
    const mark = text.indexOf('&', start);
    const part = text.slice(start, mark === -1 ? text.length : mark);
    start += part.length + 1;
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = equals === -1 ? part : part.slice(0, equals);
    fields.set(formDecode(what, name), equals === -1 ? '' : formDecode(what, part.slice(equals + 1)));
  }
  return fields;
}

function formDecode(what: string, text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw badRequest(`${what}: a percent sign must start the escape of a valid UTF-8 byte sequence`);
  }
}
