import { badRequest } from '../errors.ts';
import { type Json, members, requireUnicode } from '../json/index.ts';
import { type Kind, kindOf } from './kind.ts';
import { readText } from './scalars.ts';

/** Members of a map of texts. */
const MAX_TEXTS = 4_096;

/** Texts by name out of an object of scalars, in order. Required without a default. */
export function stringMap(fallback?: ReadonlyMap<string, string>): Kind<ReadonlyMap<string, string>> {
  return kindOf({ type: 'object', additionalProperties: { type: 'string' } }, readMap, fallback, undefined);
}

function readMap(field: string, value: Json): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const given = members(readObject(field, value));
  if (given.size > MAX_TEXTS) throw badRequest(`${field}: must have at most ${MAX_TEXTS} members`);
  for (const [name, member] of given) {
    // A name is checked like a value: half of a surrogate pair cannot be stored.
    texts.set(requireUnicode(name, `${field}, a name`), readText(`${field}, a value`, member));
  }
  return texts;
}

/** An object kept as JSON, to the digit. */
export function jsonObject(): Kind<Json> {
  return kindOf({ type: 'object', additionalProperties: true }, readObject, undefined, undefined);
}

/** The whole body of a write, as JSON to the digit; the fields of a form are its texts. */
export function wholeBody(): Kind<Json> {
  return { ...jsonObject(), whole: true };
}

function readObject(field: string, value: Json): Json {
  if (value.kind !== 'object') throw badRequest(`${field}: must be a JSON object`);
  return value;
}

/** Any JSON value but null. */
export function jsonValue(): Kind<Json> {
  return kindOf({}, (_field, value) => value, undefined, undefined);
}
