/** Limits of policies; beyond each of them a text, a path or a name is refused with 400. */

/** A policy's text, in bytes of UTF-8. */
export const MAX_POLICY_BYTES = 1024 * 1024;

/** Rules of one policy. */
export const MAX_RULES = 100_000;

/** Nesting of objects and lists in a policy's text. */
export const MAX_NESTING = 16;

/** A rule's path in bytes, a `*` at its end not counted: no longer path is ever canonical (4-open-points, Conventions). */
export const MAX_PATH_BYTES = 1024;

/** A policy's name, in characters. */
export const MAX_NAME_LENGTH = 256;
