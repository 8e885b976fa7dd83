import { MAX_PATH_BYTES } from './limits.ts';
import { refused } from './syntax.ts';
import { type PathTemplate, pathTemplate, samplePath } from './template.ts';

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

/** The path of a rule in its one spelling: without the leading slash, which the family lets one write. */
export function rulePath(raw: string, line: number): { readonly path: string; readonly template?: PathTemplate } {
  const path = raw.startsWith('/') ? raw.slice(1) : raw;
  const template = pathTemplate(path, line);
  const fault = faultOf(template === undefined ? path : samplePath(template));
  if (fault !== undefined) throw refused(line, `the path of a rule ${fault}`);
  return template === undefined ? { path } : { path, template };
}

/**
 * What is wrong with a path without templates, as the rest of a sentence. What no canonical path can match
 * (4-open-points, Conventions; R1) is a mistake of the author.
 */
export function faultOf(path: string): string | undefined {
  if (path === '') return 'is empty';
  for (let i = 0; i < path.length; i += 1) {
    if (isControl(path.charCodeAt(i))) return 'holds a control character';
  }
  const literal = path.endsWith('*') ? path.slice(0, -1) : path;
  if (Buffer.from(literal).toString() !== literal) return 'is not valid Unicode';
  if (Buffer.byteLength(literal) > MAX_PATH_BYTES) return `is longer than ${MAX_PATH_BYTES} bytes`;
  if (path.includes('+*')) return 'holds +*; write + for one segment or * at the end';
  const segments = path.split('/');
  if (segments.slice(0, -1).includes('')) return 'holds an empty segment (//)';
  if (segments.includes('.') || segments.includes('..')) return 'holds a segment . or ..; write the path it stands for';
  return undefined;
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

/** Of two that are equally specific: whether `a` has letters where `b` has `+`, the leftmost difference counting. */
export function isMoreLiteral(a: PathPattern, b: PathPattern): boolean {
  const place = a.segments.findIndex((segment, i) => (segment === null) !== (b.segments[i] === null));
  return place !== -1 && a.segments[place] !== null;
}
