import { badRequest } from '../../framework/errors.ts';
import { members } from '../../framework/json/index.ts';
import { jsonObject, type Kind, string, stringMap } from '../../framework/kinds/index.ts';

/** Texts by name in the order they came, as they are stored. */
export type Pairs = readonly (readonly [name: string, value: string])[];

// 4-open-points, KV.
const MAX_PAIRS = 64;
const MAX_NAME_BYTES = 128;
const MAX_VALUE_BYTES = 512;

/** Letters, marks, numbers, punctuation, symbols and the one space of ASCII, as the family has it. */
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u;

const texts = stringMap();

/** The whole map. */
export const customMetadata: Kind<Pairs> = {
  ...texts,
  parse: (field, value) => checked(field, [...texts.parse(field, value)]),
};

const object = jsonObject();
const text = string();

/** Changes to a map: null removes a name (RFC 7396). */
export const customMetadataPatch: Kind<ReadonlyMap<string, string | null>> = {
  schema: { type: 'object', additionalProperties: { type: 'string', nullable: true } },
  required: true,
  parse(field, value) {
    const changes = new Map<string, string | null>();
    for (const [name, member] of members(object.parse(field, value))) {
      changes.set(name, member.kind === 'null' ? null : text.parse(`${field}, a value`, member));
    }
    return changes;
  },
};

/**
 * Changes a map: what is replaced keeps its place, what is new follows at the end.
 * @throws ServiceError 400 when the outcome is not allowed
 */
export function mergePairs(field: string, pairs: Pairs, changes: ReadonlyMap<string, string | null>): Pairs {
  const merged = new Map(pairs);
  for (const [name, value] of changes) {
    if (value === null) merged.delete(name);
    else merged.set(name, value);
  }
  return checked(field, [...merged]);
}

function checked(field: string, pairs: Pairs): Pairs {
  if (pairs.length > MAX_PAIRS) throw badRequest(`${field}: must have at most ${MAX_PAIRS} names`);
  for (const [name, value] of pairs) {
    check(`${field}, a name`, name, MAX_NAME_BYTES);
    check(`${field}, a value`, value, MAX_VALUE_BYTES);
  }
  return pairs;
}

function check(field: string, text: string, most: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes === 0 || bytes > most) throw badRequest(`${field}: must have 1 to ${most} bytes of UTF-8`);
  if (!printable.test(text)) throw badRequest(`${field}: must hold printable characters only`);
}
