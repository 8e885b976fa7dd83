import { ServiceError } from '../framework/errors.ts';
import { parseDuration } from '../framework/kinds/index.ts';
import type { ParameterLists } from './constraints.ts';
import { KeyFilter } from './key-filter.ts';
import { MAX_PARAMETERS, MAX_VALUES } from './limits.ts';
import { refused, type Value } from './syntax.ts';

/** The values of the keys of a rule, each of its form; 400 with the line for any other. */

export const string = (key: string, value: Value): string => {
  if (value.kind !== 'string') throw refused(value.line, `${key} must be a string in double quotes`);
  return value.text;
};

/** `{ "name" = [values], … }`, names in lower case. Of `*` the list is empty, as anything else would not be obeyed. */
export function readLists(key: string, value: Value): ParameterLists {
  if (value.kind !== 'object') throw refused(value.line, `${key} must be an object of lists, as { "ttl" = ["1h"] }`);
  if (value.members.length > MAX_PARAMETERS) throw refused(value.line, `${key} has more than ${MAX_PARAMETERS} names`);
  const lists = new Map<string, readonly Value[]>();
  for (const { name: spelled, label, value: list, line } of value.members) {
    const name = spelled.toLowerCase();
    if (label !== undefined || list.kind !== 'list') {
      throw refused(line, `each parameter of ${key} must have a list of values, [] for any`);
    }
    if (lists.has(name)) throw refused(line, `${key} names a parameter twice; upper and lower case are one`);
    if (name === '*' && list.items.length > 0) throw refused(line, `of ${key} the name "*" takes only []`);
    if (list.items.length > MAX_VALUES)
      throw refused(line, `${key} lists more than ${MAX_VALUES} values of a parameter`);
    lists.set(name, list.items.map(parameterValue));
  }
  return lists;
}

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** A value that a parameter is compared with; whole numbers without ornament, as what is sent is read. */
function parameterValue(value: Value): Value {
  switch (value.kind) {
    case 'string':
      return value;
    case 'literal': {
      if (['true', 'false', 'null'].includes(value.text)) return value;
      const number = Number(value.text);
      if (!NUMBER.test(value.text) || !Number.isFinite(number))
        throw refused(value.line, 'a number is not one of JSON');
      return Number.isSafeInteger(number) ? { ...value, text: String(number) } : value;
    }
    case 'list':
      return { ...value, items: value.items.map(parameterValue) };
    case 'object': {
      const names = new Set(value.members.map(({ name }) => name));
      if (names.size < value.members.length || value.members.some(({ label }) => label !== undefined)) {
        throw refused(value.line, 'an object among the values of a parameter must have each name once');
      }
      return { ...value, members: value.members.map((member) => ({ ...member, value: parameterValue(member.value) })) };
    }
  }
}

/** Names of parameters in lower case. */
export function readNames(key: string, value: Value): readonly string[] {
  if (value.kind !== 'list') throw refused(value.line, `${key} must be a list of names, as ["ttl"]`);
  if (value.items.length > MAX_PARAMETERS) throw refused(value.line, `${key} has more than ${MAX_PARAMETERS} names`);
  return value.items.map((item) => string(`each item of ${key}`, item).toLowerCase());
}

/** Milliseconds of whole seconds or a duration text; 0 is none. */
export function readTtl(key: string, value: Value): number {
  const text =
    value.kind === 'string' || (value.kind === 'literal' && NUMBER.test(value.text)) ? value.text : undefined;
  const due = `${key} must be a duration that is not negative: whole seconds, or text such as "90s" or "1h30m"`;
  if (text === undefined) throw refused(value.line, due);
  try {
    const millis = parseDuration(key, text);
    if (millis >= 0) return millis;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
  throw refused(value.line, due);
}

/** Names in a page; 0 is no limit. */
export function readPageSize(value: Value): number {
  const text = value.kind === 'string' || value.kind === 'literal' ? value.text : '';
  if (/^[0-9]{1,9}$/.test(text)) return Number(text);
  throw refused(value.line, 'pagination_limit must be a whole number from 0 (none) to 999999999');
}

export const readFilter = (value: Value): KeyFilter =>
  KeyFilter.parse(string('list_scan_response_keys_filter_path', value), value.line);

const TIME =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$/;

/**
 * When a rule ends: RFC 3339, or whole seconds since 1970 as the family also takes; "" is never. A part of a second is
 * dropped, so that what is compiled is good for a second at least.
 */
export function readExpiration(value: Value): { readonly expires?: number } {
  const text = value.kind === 'string' || value.kind === 'literal' ? value.text : undefined;
  if (text === '') return {};
  const seconds = text === undefined ? undefined : secondsOf(text);
  if (seconds === undefined) {
    throw refused(value.line, 'expiration must be a time of RFC 3339, as "2030-01-31T12:00:00Z"');
  }
  return { expires: seconds * 1000 };
}

function secondsOf(text: string): number | undefined {
  if (/^[0-9]{1,11}$/.test(text)) return Number(text);
  const [, date, time, zone] = TIME.exec(text) ?? [];
  if (date === undefined || time === undefined || zone === undefined) return undefined;
  const start = Date.parse(`${date}T${time}${zone.toUpperCase()}`);
  // What the calendar does not have, such as February 30th, is moved on by some readers.
  const exists = new Date(Date.parse(`${date}T00:00:00Z`) || 0).toISOString().startsWith(date);
  return Number.isNaN(start) || !exists ? undefined : start / 1000;
}
