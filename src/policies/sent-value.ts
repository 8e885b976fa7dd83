import { ServiceError } from '../framework/errors.ts';
import { items, type Json, stringValue } from '../framework/json/index.ts';
import type { Kind } from '../framework/kinds/index.ts';
import type { GivenParameter } from './parameters.ts';

/** Whether an endpoint reads a parameter as one value, whatever commas are in it. */
export const isScalar = (kind: Kind<unknown> | undefined): boolean => SCALARS.has(kind?.schema.type);

const SCALARS: ReadonlySet<string | undefined> = new Set(['string', 'integer', 'boolean']);

/** A scalar as text, a whole number without ornament; undefined for null, a list or an object. */
export function textOf(value: Json): string | undefined {
  switch (value.kind) {
    case 'string':
      return given(() => stringValue(value));
    case 'number':
      return Number.isSafeInteger(Number(value.text)) ? String(Number(value.text)) : value.text;
    case 'boolean':
      return value.text;
    default:
      return undefined;
  }
}

/** The elements of a list as texts, as the endpoint reads it where it declares one; a scalar is its only element. */
export function elementsOf({ name, value, kind }: GivenParameter): readonly string[] {
  const read = kind?.schema.type === 'array' ? given(() => kind.parse(name, value)) : undefined;
  if (Array.isArray(read)) return read.map(String);
  const elements = value.kind === 'array' ? items(value) : [value];
  return elements.map((element) => textOf(element) ?? element.text);
}

/** A scalar as the endpoint reads it, as text; undefined where it reads something else, or refuses the value. */
export function readBy(kind: Kind<unknown>, name: string, value: Json): string | undefined {
  const read = given(() => kind.parse(name, value));
  return ['string', 'number', 'boolean'].includes(typeof read) ? `${typeof read} ${String(read)}` : undefined;
}

/** What a reader gives; undefined where it refuses: the endpoint will refuse it too. */
function given<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
