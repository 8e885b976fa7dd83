/** The parameter kinds of endpoint declarations. */
export { duration, formatDuration, parseDuration } from './duration.ts';
export { describe, type Kind, nullable, older, optional, type Schema } from './kind.ts';
export { intList, stringList } from './lists.ts';
export { jsonObject, jsonValue, stringMap, wholeBody } from './objects.ts';
export { type Bounds, bool, enumOf, int, string } from './scalars.ts';
