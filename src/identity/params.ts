import { refuseUncanonical } from '../core/path.ts';
import { badRequest } from '../framework/errors.ts';
import { foldCase } from '../framework/fold-case.ts';
import { items, type Json } from '../framework/json/index.ts';
import { describe, type Kind, optional, string, stringList, stringMap } from '../framework/kinds/index.ts';
import { grantedPolicies } from '../framework/token-terms.ts';
import type { Pairs } from './entity.ts';
import { MAX_NAME_BYTES } from './limits.ts';
import { CONTROL, MAX_KEY_BYTES, MAX_PAIRS, MAX_VALUE_BYTES } from './texts.ts';

/** An id as a path or a body gives it; what is none is of nothing. */
export const id = (of: string): Kind<string> => describe(string(), `id of the ${of}`);

/** The same where it may be left out, which "" is too. */
export const optionalId = (of: string): Kind<string> => describe(string(''), `id of the ${of}`);

/** The name of an entity or a group that is looked for: what can be none is nobody's. */
export const name: Kind<string> = { ...describe(string(), 'name; letter case does not count'), fold: foldCase };

/** The name of an entity or a group that is given; undefined where none is. */
export const givenName = (of: string): Kind<string | undefined> =>
  describe(
    {
      ...optional(string()),
      parse(field, value) {
        const given = optional(string()).parse(field, value);
        return given === undefined || given === '' ? undefined : checkName(field, given);
      },
    },
    `name of the ${of}, at most ${MAX_NAME_BYTES} bytes without a slash; letter case does not count`,
  );

/** 400 for a name that no path could hold as a segment. */
export function checkName(field: string, name: string): string {
  const bytes = Buffer.byteLength(name);
  if (bytes === 0 || bytes > MAX_NAME_BYTES) {
    throw badRequest(`${field}: must have 1 to ${MAX_NAME_BYTES} bytes of UTF-8`);
  }
  if (name.includes('/')) throw badRequest(`${field}: must hold no slash, as it is a segment of a path`);
  if (name.trim() !== name) throw badRequest(`${field}: must not begin or end in blanks`);
  refuseUncanonical(field, name);
  return name;
}

export const policies = describe(optional(grantedPolicies), 'names of policies; never root');

/** Ids of others; undefined where none were given, so that a write changes what it names. */
export const ids = (what: string): Kind<readonly string[] | undefined> => describe(optional(stringList()), what);

const KEY = /^[a-zA-Z0-9=/+_-]+$/;

/** Metadata of an entity or a group. The family's command line sends `name=value`, or a list of these. */
export const metadata: Kind<Pairs | undefined> = describe(
  pairs((field, key, value) => {
    if (!KEY.test(key)) throw badRequest(`${field}, a name: may hold letters and digits of ASCII and = / + _ - only`);
    checkValue(field, value);
  }),
  `texts by name: at most ${MAX_PAIRS}, names to ${MAX_KEY_BYTES} and values to ${MAX_VALUE_BYTES} bytes`,
);

/** Metadata that an owner gives an alias. */
export const customMetadata: Kind<Pairs | undefined> = describe(
  pairs((field, key, value) => {
    if (CONTROL.test(key) || CONTROL.test(value)) throw badRequest(`${field}: must hold no control characters`);
    checkValue(field, value);
  }),
  `texts by name: at most ${MAX_PAIRS}, names to ${MAX_KEY_BYTES} and values to ${MAX_VALUE_BYTES} bytes`,
);

function checkValue(field: string, value: string): void {
  if (Buffer.byteLength(value) > MAX_VALUE_BYTES) {
    throw badRequest(`${field}, a value: must have at most ${MAX_VALUE_BYTES} bytes of UTF-8`);
  }
}

function pairs(check: (field: string, key: string, value: string) => void): Kind<Pairs | undefined> {
  const map = optional(stringMap());
  return {
    ...map,
    parse(field, value) {
      const texts = isMap(value) ? map.parse(field, value) : assignments(field, value);
      if (texts === undefined) return undefined;
      if (texts.size > MAX_PAIRS) throw badRequest(`${field}: must have at most ${MAX_PAIRS} names`);
      for (const [key, text] of texts) {
        const bytes = Buffer.byteLength(key);
        if (bytes === 0 || bytes > MAX_KEY_BYTES) {
          throw badRequest(`${field}, a name: must have 1 to ${MAX_KEY_BYTES} bytes of UTF-8`);
        }
        check(field, key, text);
      }
      return [...texts];
    },
  };
}

const isMap = (value: Json | undefined): boolean =>
  value === undefined || value.kind === 'object' || value.kind === 'null';

/** `name=value`, one or a list of them; a comma is part of a value. */
function assignments(field: string, value: Json | undefined): ReadonlyMap<string, string> {
  const list = value === undefined ? [] : value.kind === 'array' ? items(value) : [value];
  return new Map(
    list.map((one) => {
      const text = string().parse(field, one);
      const equals = text.indexOf('=');
      if (equals < 1) throw badRequest(`${field}: must be an object of texts, or texts such as team=ops`);
      return [text.slice(0, equals), text.slice(equals + 1)];
    }),
  );
}
