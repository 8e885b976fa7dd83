import { badRequest } from '../errors.ts';
import { items, type Json, maxValues } from '../json/index.ts';
import { type Kind, kindOf } from './kind.ts';
import { parseInteger, readText } from './scalars.ts';

/**
 * Texts out of a list of scalars, a comma-separated text or one scalar, each trimmed; "" is the empty list
 * (4-open-points: Conventions). A comma inside an element of a list stays. Required without a default.
 */
export function stringList(fallback?: readonly string[]): Kind<readonly string[]> {
  return kindOf({ type: 'array', items: { type: 'string' } }, readStrings, fallback, fallback);
}

function readStrings(field: string, value: Json): readonly string[] {
  if (value.kind === 'array') return items(value).map((item) => readText(elementOf(field), item).trim());
  if (value.kind === 'object') throw badRequest(`${field}: must be a list of strings, or a comma-separated string`);
  return splitCommas(field, readText(field, value));
}

/** Whole numbers out of a list, a comma-separated text or one number. Required without a default. */
export function intList(fallback?: readonly number[]): Kind<readonly number[]> {
  return kindOf({ type: 'array', items: { type: 'integer' } }, readInts, fallback, fallback);
}

function readInts(field: string, value: Json): readonly number[] {
  const element = elementOf(field);
  // Inside a list "" is no 0: a number was forgotten.
  const texts = value.kind === 'array' ? items(value).map((item) => numberText(element, item)) : textsOf(field, value);
  return texts.map((text) => parseInteger(element, text));
}

const textsOf = (field: string, value: Json) => splitCommas(field, numberText(field, value));

function numberText(field: string, value: Json): string {
  if (value.kind === 'string' || value.kind === 'number') return readText(field, value);
  throw badRequest(`${field}: must be a whole number, or a list of them`);
}

const elementOf = (field: string) => `${field}, an element`;

function splitCommas(field: string, text: string): readonly string[] {
  if (text === '') return [];
  const parts = text.split(',', maxValues + 1);
  if (parts.length > maxValues) throw badRequest(`${field}: must have at most ${maxValues} elements`);
  return parts.map((part) => part.trim());
}
