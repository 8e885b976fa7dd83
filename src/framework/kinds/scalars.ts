import { badRequest } from '../errors.ts';
import { type Json, stringValue } from '../json/index.ts';
import { type Kind, kindOf } from './kind.ts';

/** A text; a number keeps its digits, true and false are "1" and "0" as in the family. Required without a default. */
export function string(fallback?: string): Kind<string> {
  return kindOf({ type: 'string' }, readText, fallback, fallback);
}

/** Inclusive limits of a whole number. */
export interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

/** A whole number or its decimal text, "" being 0. Required without a default. */
export function int(fallback?: number, bounds: Bounds = {}): Kind<number> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = bounds;
  const schema = {
    type: 'integer',
    ...(bounds.min === undefined ? {} : { minimum: bounds.min }),
    ...(bounds.max === undefined ? {} : { maximum: bounds.max }),
  } as const;
  const read = (field: string, value: Json): number => {
    const number = readInt(field, value);
    if (number < min) throw badRequest(`${field}: must be at least ${min}`);
    if (number > max) throw badRequest(`${field}: must be at most ${max}`);
    return number;
  };
  return kindOf(schema, read, fallback, fallback);
}

/** True or false in the spellings of "4-open-points: Conventions". Required without a default. */
export function bool(fallback?: boolean): Kind<boolean> {
  return kindOf({ type: 'boolean' }, readBool, fallback, fallback);
}

/** One of the given words. Required without a default. */
export function enumOf<const T extends string>(words: readonly T[], fallback?: T): Kind<T> {
  const read = (field: string, value: Json): T => {
    const text = readText(field, value);
    const word = words.find((candidate) => candidate === text);
    if (word === undefined) throw badRequest(`${field}: must be one of ${words.map((w) => `"${w}"`).join(', ')}`);
    return word;
  };
  return kindOf({ type: 'string', enum: words }, read, fallback, fallback);
}

/** The text of a scalar. @throws ServiceError 400 on null, an object or an array */
export function readText(field: string, value: Json): string {
  switch (value.kind) {
    case 'string':
      return stringValue(value, field);
    case 'number':
      return value.text;
    case 'boolean':
      return value.text === 'true' ? '1' : '0';
    default:
      throw badRequest(`${field}: must be a string`);
  }
}

// A leading zero is refused because the family reads it as octal, and nobody else does.
const decimal = /^[+-]?(?:0|[1-9][0-9]*)$/;

/** A safe whole number out of a JSON number or text, "" being 0. @throws ServiceError 400 */
export function readInt(field: string, value: Json): number {
  if (value.kind === 'number') return parseInteger(field, value.text);
  if (value.kind !== 'string') throw notWhole(field);
  const text = stringValue(value, field);
  return text === '' ? 0 : parseInteger(field, text);
}

/** A safe whole number out of its decimal text. @throws ServiceError 400 */
export function parseInteger(field: string, text: string): number {
  if (!decimal.test(text)) throw notWhole(field);
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw badRequest(`${field}: must lie within ±9007199254740991`);
  return number === 0 ? 0 : number;
}

const notWhole = (field: string) => badRequest(`${field}: must be a whole number, such as 7 or "7"`);

const truths: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'True', 'TRUE'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'False', 'FALSE', ''].map((text) => [text, false] as const),
]);

function readBool(field: string, value: Json): boolean {
  const nested = value.kind === 'object' || value.kind === 'array';
  const truth = nested ? undefined : truths.get(value.kind === 'string' ? stringValue(value, field) : value.text);
  if (truth === undefined) throw badRequest(`${field}: must be true or false`);
  return truth;
}
