import { badRequest } from '../../framework/errors.ts';
import { scanJson } from '../../framework/json/index.ts';
import { describe, type Kind, string, stringMap } from '../../framework/kinds/index.ts';
import { foldedName } from '../../framework/name.ts';

export const roleName = describe(foldedName(), 'name of the role; in any letter case');

/** The same kind, which may not be left out. */
export function required<T>(kind: Kind<T | undefined>): Kind<T> {
  return {
    schema: kind.schema,
    required: true,
    parse(field, value) {
      const parsed = kind.parse(field, value);
      if (parsed === undefined) throw badRequest(`${field}: is required`);
      return parsed;
    },
  };
}

const MAX_ROLE_ID_LENGTH = 256;

/** The name that a role logs in under: shown to who configures, and part of paths where it is unlocked. */
export const roleId: Kind<string> = {
  ...string(),
  parse(field, value) {
    const id = string().parse(field, value).trim();
    if (id === '') throw badRequest(`${field}: must not be empty`);
    if (id.length > MAX_ROLE_ID_LENGTH)
      throw badRequest(`${field}: must have at most ${MAX_ROLE_ID_LENGTH} characters`);
    if (/[\p{Cc}/]/u.test(id)) throw badRequest(`${field}: must hold no slash and no control characters`);
    return id;
  },
};

export const MAX_SECRET_ID_BYTES = 4_096;

/** A secret id as it is presented: blanks around it do not count, as clients read it from files. Empty where none is given. */
export const secretId: Kind<string> = {
  ...string(''),
  parse(field, value) {
    const id = string('').parse(field, value).trim();
    if (Buffer.byteLength(id) > MAX_SECRET_ID_BYTES) {
      throw badRequest(`${field}: must have at most ${MAX_SECRET_ID_BYTES} bytes`);
    }
    return id;
  },
};

/** One that is chosen or asked for. */
export const givenSecretId: Kind<string> = {
  ...string(),
  parse(field, value) {
    const id = secretId.parse(field, value);
    if (id === '') throw badRequest(`${field}: is required`);
    return id;
  },
};

// One name fewer than an alias may have: the role's is added. The bytes are those of alias metadata.
const MAX_NAMES = 63;
const MAX_NAME_BYTES = 128;
const MAX_VALUE_BYTES = 512;

/** Texts by name: as an object, as the text of one, or as `name=value,name=value`. */
export const metadata: Kind<ReadonlyMap<string, string>> = {
  schema: {
    type: 'string',
    description: 'texts by name, of the tokens that it gives: a JSON object, or the text of one',
  },
  required: false,
  parse(field, value) {
    if (value === undefined || value.kind === 'null') return new Map();
    const texts =
      value.kind === 'object' ? stringMap().parse(field, value) : textsOf(field, string().parse(field, value).trim());
    if (texts.size > MAX_NAMES) throw badRequest(`${field}: must have at most ${MAX_NAMES} names`);
    for (const [name, text] of texts) {
      const bytes = Buffer.byteLength(name);
      if (bytes === 0 || bytes > MAX_NAME_BYTES) {
        throw badRequest(`${field}: each name must have 1 to ${MAX_NAME_BYTES} bytes`);
      }
      if (Buffer.byteLength(text) > MAX_VALUE_BYTES) {
        throw badRequest(`${field}: each value must have at most ${MAX_VALUE_BYTES} bytes`);
      }
    }
    return texts;
  },
};

function textsOf(field: string, text: string): ReadonlyMap<string, string> {
  if (text === '') return new Map();
  if (text.startsWith('{')) return stringMap().parse(field, scanJson(text, field));
  return new Map(
    text.split(',', MAX_NAMES + 1).map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw badRequest(`${field}: must be a JSON object, or pairs such as "name=value,name=value"`);
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
}
