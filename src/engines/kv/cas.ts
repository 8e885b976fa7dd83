import { badRequest } from '../../framework/errors.ts';
import { members } from '../../framework/json/index.ts';
import { describe, int, jsonObject, type Kind, optional } from '../../framework/kinds/index.ts';
import type { Secret } from './secret.ts';
import { casIsRequired, type Settings } from './settings.ts';

/** What a writer may ask of its write. */
export interface WriteOptions {
  /** The version that has to be the current one; undefined when not given. */
  readonly cas: number | undefined;
}

// Null is 0 as in the family, so that a check which was asked for is never left out.
const cas = int(0);
const object = optional(jsonObject());

/** The member `options` of a write. */
export const writeOptions: Kind<WriteOptions> = describe(
  {
    schema: { type: 'object', additionalProperties: true },
    required: false,
    parse(field, value) {
      const given = object.parse(field, value);
      const member = given === undefined ? undefined : members(given).get('cas');
      return { cas: member === undefined ? undefined : cas.parse(`${field}.cas`, member) };
    },
  },
  'cas: the version that has to be the current one; 0 where the secret must not exist',
);

/**
 * The rules of `cas` (document 3, "Create/update body").
 * @throws ServiceError 400 when it is required and missing, or not the current version
 */
export function checkCas({ cas }: WriteOptions, secret: Secret, engine: Settings): void {
  if (cas === undefined) {
    if (casIsRequired(engine, secret)) {
      throw badRequest('options.cas: check-and-set parameter required for this call: give the current version');
    }
  } else if (cas !== secret.current) {
    throw badRequest('options.cas: check-and-set parameter did not match the current version');
  }
}

/** A patch changes what exists, so its `cas` is greater than 0 (document 3, "Patch body"). */
export function checkPatchCas(options: WriteOptions, secret: Secret, engine: Settings): void {
  if (options.cas === 0) throw badRequest('options.cas: must be greater than 0 in a patch');
  checkCas(options, secret, engine);
}
