import { badRequest } from '../errors.ts';
import { type Json, stringValue } from '../json/index.ts';
import { type Kind, kindOf } from './kind.ts';

const nanoseconds: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n], // U+00B5
  ['μs', 1_000n], // U+03BC
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
  ['d', 86_400_000_000_000n],
]);

/** The family keeps durations as 64-bit nanoseconds: about 292 years to either side. */
const longest = 2n ** 63n - 1n;

/** Longer than any sensible spelling; it bounds the arithmetic below. */
const maxTextLength = 128;

/** A duration in milliseconds, of whole seconds or a duration text (document 1, convention 6). Required without a default. */
export function duration(fallback?: number): Kind<number> {
  const shown = fallback === undefined ? undefined : formatDuration(fallback);
  return kindOf({ type: 'string', format: 'duration' }, readDuration, fallback, shown);
}

function readDuration(field: string, value: Json): number {
  if (value.kind === 'string') return parseDuration(field, stringValue(value, field));
  if (value.kind === 'number') return parseDuration(field, value.text);
  throw malformed(field);
}

/**
 * Milliseconds of whole seconds ("90") or of segments of number and unit ("1h30m", ".5h", "-1s", "1d12h"; units ns us
 * µs ms s m h d) with one sign in front; "" is 0 (4-open-points: Conventions). As a double it tells nanoseconds apart
 * up to about 100 days, and microseconds nearly to its end.
 * @throws ServiceError 400 when it is none, or beyond ±292 years
 */
export function parseDuration(field: string, text: string): number {
  if (text === '') return 0;
  if (text.length > maxTextLength) throw malformed(field);
  const signed = text.startsWith('-') || text.startsWith('+');
  const size = sizeOf(signed ? text.slice(1) : text);
  if (size === undefined) throw malformed(field);
  if (size > longest) throw badRequest(`${field}: must be a duration of at most 292 years`);
  const ms = Number(size / 1_000_000n) + Number(size % 1_000_000n) / 1e6;
  return ms !== 0 && text.startsWith('-') ? -ms : ms;
}

/** Nanoseconds of an unsigned duration text, undefined when it is none. */
function sizeOf(text: string): bigint | undefined {
  if (/^[0-9]+$/.test(text)) return BigInt(text) * 1_000_000_000n;
  const segment = /([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h|d)/y;
  let sum = 0n;
  while (segment.lastIndex < text.length) {
    const [, whole = '', fraction = '', unit = ''] = segment.exec(text) ?? [];
    const size = nanoseconds.get(unit);
    if (size === undefined || whole.length + fraction.length === 0) return undefined;
    sum += BigInt(whole) * size + (BigInt(fraction) * size) / 10n ** BigInt(fraction.length);
  }
  return text === '' ? undefined : sum;
}

const malformed = (field: string) =>
  badRequest(`${field}: must be a duration: whole seconds, or text such as "90s", "1h30m" or "2d"`);

/** A duration in milliseconds as the family writes it: "1h30m0s", "36h0m0s", "1.5s", "2ms", "1µs", "-1s", "0s". */
export function formatDuration(ms: number): string {
  const whole = Math.trunc(ms);
  const signed = BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6));
  const size = signed < 0n ? -signed : signed;
  return (signed < 0n ? '-' : '') + formatSize(size);
}

function formatSize(size: bigint): string {
  if (size === 0n) return '0s';
  if (size < 1_000n) return `${size}ns`;
  if (size < 1_000_000n) return `${withFraction(size, 3)}µs`;
  if (size < 1_000_000_000n) return `${withFraction(size, 6)}ms`;
  const minutes = size / 60_000_000_000n;
  const seconds = `${withFraction(size % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** A decimal fraction of so many places, without zeros at its end. */
function withFraction(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0');
  const whole = digits.slice(0, -places);
  let last = digits.length;
  while (last > whole.length && digits[last - 1] === '0') last -= 1;
  return last === whole.length ? whole : `${whole}.${digits.slice(whole.length, last)}`;
}
