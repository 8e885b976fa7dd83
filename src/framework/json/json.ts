import { badRequest } from '../errors.ts';
import { skipBlank } from './bytes.ts';
import { type Layout, scan } from './scan.ts';
import { type Json, Slice } from './slice.ts';

const sliceOf = (layout: Layout): Json => new Slice(layout, layout.start, layout.end, 0);

/**
 * A request body. Empty, blank and `null` bodies are the empty object (4-open-points: Conventions).
 * @throws ServiceError 400 when it is not valid JSON or no object
 */
export function scanBody(body: Buffer): Json {
  if (skipBlank(body, 0) === body.length) return emptyObject;
  const json = sliceOf(scan(body, 'request body'));
  if (json.kind === 'null') return emptyObject;
  if (json.kind !== 'object') throw badRequest(`request body: must be a JSON object, not a JSON ${json.kind}`);
  return json;
}

/**
 * Any JSON value out of a text: stored data, a header, a policy.
 * @param what the name of the text in the sentence of a refusal
 * @throws ServiceError 400 when it is not valid JSON
 */
export function scanJson(text: string | Buffer, what = 'JSON'): Json {
  if (typeof text !== 'string') return sliceOf(scan(text, what));
  // Encoding would replace a lone surrogate silently.
  return sliceOf(scan(Buffer.from(requireUnicode(text, what)), what));
}

/** The text itself. @throws ServiceError 400 when it holds half of a surrogate pair */
export function requireUnicode(text: string, what: string): string {
  if (loneSurrogate.test(text)) throw badRequest(`${what}: not valid Unicode: half of a surrogate pair`);
  return text;
}

const loneSurrogate = /\p{Surrogate}/u;

const emptyObject = scanJson('{}');

/** The members of an object by their decoded names, in order; of duplicates the last counts, at its own place. */
export function members(json: Json): ReadonlyMap<string, Json> {
  return lastMembers(json, (_nameText, value) => value);
}

/** A member with its name as JSON text, in the spelling it arrived in. */
export interface Member {
  readonly nameText: string;
  readonly value: Json;
}

/** As `members`, with the spelling of each name, for those who write the object down again. */
export function spelledMembers(json: Json): ReadonlyMap<string, Member> {
  return lastMembers(json, (nameText, value) => ({ nameText, value }));
}

function lastMembers<T>(json: Json, make: (nameText: string, value: Json) => T): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  json.eachMember((nameText, value) => {
    const name = decode(nameText);
    found.delete(name);
    found.set(name, make(nameText, value));
  });
  return found;
}

/** The elements of an array, in order. */
export function items(json: Json): readonly Json[] {
  const found: Json[] = [];
  json.eachItem((value) => found.push(value));
  return found;
}

/**
 * The decoded string.
 * @param what the name of the value in the sentence of a refusal
 * @throws ServiceError 400 when an escape spells half of a surrogate pair, which no UTF-8 text can hold
 */
export function stringValue(json: Json, what = 'string'): string {
  if (json.kind !== 'string') throw new TypeError(`string value of a JSON ${json.kind}`);
  const { text } = json;
  const decoded = decode(text);
  // The bytes are valid UTF-8, so only an escape can spell half a pair.
  return text.includes('\\') ? requireUnicode(decoded, what) : decoded;
}

/** A JSON string out of plain text: a query, form or path parameter. */
export function jsonString(text: string): Json {
  return scanJson(JSON.stringify(text));
}

/**
 * The string that a valid JSON string spells. Only strings may be given to JSON.parse: V8 13 and 14 mix up the escaped
 * names of objects it parsed before (nodejs/node issue 63785).
 */
function decode(stringText: string): string {
  if (!stringText.includes('\\')) return stringText.slice(1, -1);
  const decoded: unknown = JSON.parse(stringText);
  if (typeof decoded !== 'string') throw new TypeError('not the text of a JSON string');
  return decoded;
}
