import { MAX_PATH_BYTES } from './limits.ts';
import { refused } from './syntax.ts';

/** A rule's path, taken apart. `null` among the segments stands for `+`: one segment, whatever it is. */
export interface PathPattern {
  readonly segments: readonly (string | null)[];
  /** A `*` at the end (taken off): the last segment is the beginning of one, and anything may follow. */
  readonly prefix: boolean;
  /** Where the first `+` or `*` stands, in characters; Infinity when there is none and the path is exact. */
  readonly firstWildcard: number;
  /** How many `+`. */
  readonly wildcards: number;
  /** In characters, without `*`; a slash at the end does not make a rule more specific, so it is not counted. */
  readonly length: number;
}

const isControl = (code: number): boolean => code < 0x20 || (code >= 0x7f && code <= 0x9f);

/**
 * Checks the path of a rule and returns its one spelling: without the leading slash, which the family lets one write.
 * What no canonical path can match (4-open-points, Conventions; R1) is a mistake of the author: 400.
 */
export function rulePath(raw: string, line: number): string {
  const path = raw.startsWith('/') ? raw.slice(1) : raw;
  if (path === '') throw refused(line, 'the path of a rule is empty');
  for (let i = 0; i < path.length; i += 1) {
    if (isControl(path.charCodeAt(i))) throw refused(line, 'the path of a rule holds a control character');
  }
  const literal = path.endsWith('*') ? path.slice(0, -1) : path;
  if (Buffer.from(literal).toString() !== literal) throw refused(line, 'the path of a rule is not valid Unicode');
  if (Buffer.byteLength(literal) > MAX_PATH_BYTES) {
    throw refused(line, `the path of a rule is longer than ${MAX_PATH_BYTES} bytes`);
  }
  if (path.includes('{{') || path.includes('}}')) {
    throw refused(line, 'templates {{…}} in the path of a rule are not supported by this version');
  }
  if (path.includes('+*')) throw refused(line, 'the path of a rule holds +*; write + for one segment or * at the end');
  const segments = path.split('/');
  if (segments.slice(0, -1).includes('')) throw refused(line, 'the path of a rule holds an empty segment (//)');
  if (segments.includes('.') || segments.includes('..')) {
    throw refused(line, 'the path of a rule holds a segment . or ..; write the path it stands for');
  }
  return path;
}

/** Takes apart a path that `rulePath` has passed. `+` counts only as a whole segment, `*` only as the last character. */
export function pathPattern(path: string): PathPattern {
  const prefix = path.endsWith('*');
  const literal = prefix ? path.slice(0, -1) : path;
  const segments = literal.split('/').map((segment) => (segment === '+' ? null : segment));
  const firstPlus = segments.indexOf(null);
  const beforePlus = segments.slice(0, firstPlus).reduce((sum, segment) => sum + (segment?.length ?? 1) + 1, 0);
  const firstStar = prefix ? literal.length : Number.POSITIVE_INFINITY;
  return {
    segments,
    prefix,
    firstWildcard: firstPlus === -1 ? firstStar : beforePlus,
    wildcards: segments.filter((segment) => segment === null).length,
    length: !prefix && literal.endsWith('/') ? literal.length - 1 : literal.length,
  };
}

/**
 * Positive when `a` is more specific than `b`: exact; then the later first wildcard; no `*` at the end; fewer `+`;
 * longer (4-open-points, Tokens and policies).
 */
export function compareSpecificity(a: PathPattern, b: PathPattern): number {
  if (a.firstWildcard !== b.firstWildcard) return a.firstWildcard > b.firstWildcard ? 1 : -1;
  if (a.prefix !== b.prefix) return a.prefix ? -1 : 1;
  return b.wildcards - a.wildcards || a.length - b.length;
}
