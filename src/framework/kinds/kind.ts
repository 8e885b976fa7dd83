import { badRequest } from '../errors.ts';
import type { Json } from '../json/index.ts';

/** The part of an OpenAPI 3.0 schema that parameters need. Without `type` any JSON value is meant. */
export interface Schema {
  readonly type?: 'string' | 'integer' | 'boolean' | 'array' | 'object';
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly default?: string | number | boolean | readonly string[] | readonly number[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly nullable?: boolean;
  readonly description?: string;
}

/** What a parameter may be: its documentation, and the reader of its value. */
export interface Kind<T> {
  readonly schema: Schema;
  /** Whether leaving the parameter out is refused. */
  readonly required: boolean;
  /** Reads the body as a whole, and not a member of it: for a write whose members users name. */
  readonly whole?: true;
  /** Of a parameter under an older name: what it is called now. Rules of policies for either name hold (known-attacks A9). */
  readonly olderOf?: string;
  /**
   * Of a name that is looked up in another form than it may be given in: that form. Where it stands in a path, policies on
   * the path in this form hold too (known-attacks A3).
   */
  fold?(text: string): string;
  /**
   * @param value undefined when the parameter was not given; JSON null counts as not given, except in `nullable`
   * @throws ServiceError 400 with a sentence that names the field and never repeats the value
   */
  parse(field: string, value: Json | undefined): T;
}

/**
 * A kind out of a reader of given values.
 * @param fallback the value of a parameter not given; undefined makes it required
 * @param documented the fallback as the schema shows it
 */
export function kindOf<T>(
  schema: Schema,
  read: (field: string, value: Json) => T,
  fallback: T | undefined,
  documented: Schema['default'],
): Kind<T> {
  return {
    schema: documented === undefined ? schema : { ...schema, default: documented },
    required: fallback === undefined,
    parse(field, value) {
      if (value !== undefined && value.kind !== 'null') return read(field, value);
      if (fallback === undefined) throw badRequest(`${field}: is required`);
      return fallback;
    },
  };
}

/** The same, undefined when not given. */
export function optional<T>(kind: Kind<T>): Kind<T | undefined> {
  const { default: _, ...schema } = kind.schema;
  return {
    schema,
    required: false,
    parse: (field, value) => (value === undefined || value.kind === 'null' ? undefined : kind.parse(field, value)),
  };
}

/** The same, null when null was given, undefined when nothing was: in a merge-patch null resets (RFC 7396). */
export function nullable<T>(kind: Kind<T>): Kind<T | null | undefined> {
  const given = optional(kind);
  return {
    schema: { ...given.schema, nullable: true },
    required: false,
    parse: (field, value) => (value?.kind === 'null' ? null : given.parse(field, value)),
  };
}

/** A parameter under an older name, beside the present one. */
export const older = <T>(present: string, kind: Kind<T>): Kind<T> => ({
  ...describe(kind, `older name of ${present}`),
  olderOf: present,
});

/** The same with a sentence for OpenAPI and help. */
export function describe<T>(kind: Kind<T>, description: string): Kind<T> {
  return { ...kind, schema: { ...kind.schema, description } };
}
