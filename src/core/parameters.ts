import { isUtf8 } from 'node:buffer';
import type { Arrived, Endpoint, Verb } from '../framework/endpoint.ts';
import { badRequest, unsupportedMediaType } from '../framework/errors.ts';
import { type Json, jsonString, members, scanBody, scanJson } from '../framework/json/index.ts';
import type { Call } from './call.ts';
import { parseForm } from './path.ts';

const MERGE_PATCH = 'application/merge-patch+json';
const FORM = 'application/x-www-form-urlencoded';

/** The parameters of the path alone, by name. 400 where one is none of its kind. */
export function parsePathParameters<C>(endpoint: Endpoint<C>, captured: ReadonlyMap<string, string>): Arrived {
  const values: Record<string, unknown> = {};
  for (const [name, text] of captured) values[name] = endpoint.params[name]?.parse(name, jsonString(text));
  return values;
}

/**
 * All declared parameters: those of the path first, then of the body (write, patch) or the query (read, list, remove).
 * What is not declared never arrives. 400 where one is missing or none of its kind; 415 for a patch of another type.
 */
export function parseParameters<C>(
  endpoint: Endpoint<C>,
  captured: ReadonlyMap<string, string>,
  given: Given,
): Arrived {
  const values: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(endpoint.params)) {
    const text = captured.get(name);
    if (text !== undefined) values[name] = kind.parse(name, jsonString(text));
    else
      values[name] =
        kind.whole === true ? kind.parse('request body', given.whole()) : kind.parse(name, given.member(name));
  }
  return values;
}

/** What a call gives, besides its path, before it is parsed. */
export interface Given {
  member(name: string): Json | undefined;
  /** The names of what is given, declared or not. */
  names(): Iterable<string>;
  /** All of it, as one object. */
  whole(): Json;
}

/** What stands in the body of a write or patch, in the query of others. 400 and 415 where the body is none. */
export const readGiven = (verb: Verb, call: Call): Given =>
  verb === 'write' || verb === 'patch' ? readBody(call) : ofFields(call.query);

function readBody({ request, verb }: Call): Given {
  const { headers, body } = request;
  const encoding = headers.get('content-encoding');
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw badRequest('Content-Encoding: an encoded body is not accepted: send it as it is');
  }
  const type = mediaType(headers.get('content-type') ?? '');
  if (verb === 'patch') checkPatchType(type);
  if (type === FORM && !startsJson(body)) {
    if (!isUtf8(body)) throw badRequest('request body: must be UTF-8');
    return ofFields(parseForm('request body', body.toString('utf8')));
  }
  const json = scanBody(body);
  let found: ReadonlyMap<string, Json> | undefined;
  const all = (): ReadonlyMap<string, Json> => {
    found ??= members(json);
    return found;
  };
  return {
    member: (name) => all().get(name),
    names: () => all().keys(),
    whole: () => json,
  };
}

/** Texts by name. */
const ofFields = (fields: ReadonlyMap<string, string>): Given => ({
  member(name) {
    const text = fields.get(name);
    return text === undefined ? undefined : jsonString(text);
  },
  names: () => fields.keys(),
  whole() {
    const texts = [...fields].map(([name, text]) => `${JSON.stringify(name)}:${JSON.stringify(text)}`);
    return scanJson(`{${texts.join()}}`, 'request body');
  },
});

function checkPatchType(type: string): void {
  if (type === '') throw badRequest(`Content-Type: a PATCH needs ${MERGE_PATCH}`);
  if (type !== MERGE_PATCH) throw unsupportedMediaType(`Content-Type: a PATCH must be ${MERGE_PATCH}`);
}

const mediaType = (header: string): string => (header.split(';', 1)[0] ?? '').trim().toLowerCase();

/** Whether a body is JSON although it is said to be a form: clients send this type with everything. */
function startsJson(body: Buffer): boolean {
  for (const byte of body) {
    if (byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d) continue;
    return byte === 0x7b || byte === 0x5b || byte === 0x22;
  }
  return true;
}
