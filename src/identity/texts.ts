import { badRequest } from '../framework/errors.ts';
import type { Pairs } from './entity.ts';
import { MAX_ALIAS_NAME_BYTES } from './limits.ts';

// The limits of the family.
export const MAX_PAIRS = 64;
export const MAX_KEY_BYTES = 128;
export const MAX_VALUE_BYTES = 512;

/** What a method told of who logs in: 400 where it is more than can be kept. */
export function checkTold(field: string, metadata: ReadonlyMap<string, string>): Pairs {
  if (metadata.size > MAX_PAIRS) throw badRequest(`${field}: must have at most ${MAX_PAIRS} names`);
  for (const [key, value] of metadata) {
    const bytes = Buffer.byteLength(key);
    if (bytes === 0 || bytes > MAX_KEY_BYTES) {
      throw badRequest(`${field}, a name: must have 1 to ${MAX_KEY_BYTES} bytes of UTF-8`);
    }
    if (Buffer.byteLength(value) > MAX_VALUE_BYTES) {
      throw badRequest(`${field}, a value: must have at most ${MAX_VALUE_BYTES} bytes of UTF-8`);
    }
  }
  return [...metadata];
}

/** 400 for what cannot be the name of an alias: it is 1–1,024 bytes without control characters. */
export function checkAliasName(field: string, name: string): string {
  const bytes = Buffer.byteLength(name);
  if (bytes === 0 || bytes > MAX_ALIAS_NAME_BYTES) {
    throw badRequest(`${field}: must have 1 to ${MAX_ALIAS_NAME_BYTES} bytes of UTF-8`);
  }
  if (CONTROL.test(name)) throw badRequest(`${field}: must hold no control characters`);
  return name;
}

export const CONTROL = /\p{Cc}/u;

/** Whether two maps say the same; order does not count. */
export function samePairs(one: Pairs, other: Pairs): boolean {
  const texts = new Map(other);
  return one.length === texts.size && one.every(([name, value]) => texts.get(name) === value);
}
