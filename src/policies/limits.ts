/** Limits of policies; beyond each of them a text, a path or a name is refused with 400. */

/** A policy's text, in bytes of UTF-8. */
export const MAX_POLICY_BYTES = 1024 * 1024;

/** Rules of one policy. */
export const MAX_RULES = 100_000;

/** Nesting of objects and lists in a policy's text. */
export const MAX_NESTING = 16;

/** A rule's path in bytes, a `*` at its end not counted: no longer path is ever canonical (4-open-points, Conventions). */
export const MAX_PATH_BYTES = 1024;

/**
 * Steps that the `+` of a policy's paths may cost a look-up at most: the different beginnings of their shapes, counted from
 * the first `+` on, where a shape says of each segment only whether it is `+`. A path meets one rule of each, at most.
 */
export const MAX_SHAPES = 1024;

/** The same over all policies of one token; beyond it they permit nothing. */
export const MAX_SHAPES_OF_SET = 4096;

/** Rules of one policy whose path holds a template: they are compiled for each identity. */
export const MAX_TEMPLATED_RULES = 1000;

/** Parameters that one key of a rule names, and values it lists for one of them. */
export const MAX_PARAMETERS = 1024;
export const MAX_VALUES = 1024;

/** Values with `*`, lists and objects among those listed for a parameter, over all rules of a path. */
export const MAX_PATTERNS = 256;

/** Characters that comparing one parameter of a request with the patterns of a rule may read; an element counts as 16. */
export const MAX_COMPARED_CHARACTERS = 64 * 1024 * 1024;

/** Pieces between commas that are looked at one by one. */
export const MAX_PIECES = 1024;

/** A template of `list_scan_response_keys_filter_path`, in characters, and the functions it calls. */
export const MAX_FILTER_LENGTH = 1024;
export const MAX_FILTER_CALLS = 16;
