import type { Log } from './core/service.ts';
import { printable } from './printable.ts';

export const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

/** Facts that belong to an event. */
export type Fields = Readonly<Record<string, unknown>>;

/** The server's log: what the core needs, and detail for debugging. */
export interface Logger extends Log {
  debug(sentence: string, fields?: Fields): void;
}

/** `json`: one object per line; `text`: for people at a terminal. */
export type LogFormat = 'json' | 'text';

export interface LogOptions {
  /** Least level that is written. */
  readonly level: Level;
  readonly format: LogFormat;
  readonly write: (line: string) => void;
  /** Milliseconds since 1970; default the machine's clock. */
  readonly clock?: () => number;
}

/** A log of one line per event, whatever the texts within hold (known-attacks I5). Callers give it no secrets. */
export function createLog({ level, format, write, clock = Date.now }: LogOptions): Logger {
  const least = LEVELS.indexOf(level);
  const line = format === 'json' ? jsonLine : textLine;
  const at =
    (name: Level) =>
    (sentence: string, fields: Fields = {}): void => {
      if (LEVELS.indexOf(name) >= least) write(line(new Date(clock()), name, sentence, fields));
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

function jsonLine(time: Date, level: Level, sentence: string, fields: Fields): string {
  // The event's own members come last: no field can pass for them.
  const facts = Object.entries(fields).map(([name, value]) => `${encode(name)}:${encode(value)}`);
  const own = `"time":"${time.toISOString()}","level":"${level}","message":${encode(sentence)}`;
  return `{${[own, ...facts.filter((fact) => !/^"(time|level|message)":/.test(fact))].join(',')}}\n`;
}

function textLine(time: Date, level: Level, sentence: string, fields: Fields): string {
  const facts = Object.entries(fields).map(([name, value]) => ` ${encode(name).slice(1, -1)}=${encode(value)}`);
  const message = encode(sentence).slice(1, -1).replaceAll('\\"', '"');
  return `${time.toISOString()} ${level.toUpperCase().padEnd(5)} ${message}${facts.join('')}\n`;
}

const MAX_TEXT = 8_192;
const MAX_ITEMS = 64;
const MAX_DEPTH = 4;

/** JSON without anything that a terminal or a line reader would act on: it lets some of that through. */
const encode = (value: unknown): string => printable(JSON.stringify(plain(value, 0)) ?? 'null');

/** Bounded, without cycles, errors with what an operator needs of them. */
function plain(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? undefined : value;
  if (depth === MAX_DEPTH) return '…';
  if (value instanceof Error) return plain(describeError(value), depth);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`;
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => plain(item, depth + 1));
  const entries = Object.entries(value).slice(0, MAX_ITEMS);
  return Object.fromEntries(entries.map(([name, item]) => [name, plain(item, depth + 1)]));
}

function describeError(error: Error): Record<string, unknown> {
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  return { name, message, code, stack, ...(cause === undefined ? {} : { cause }) };
}
