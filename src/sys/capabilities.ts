import type { Data } from '../framework/answer.ts';
import { badRequest } from '../framework/errors.ts';
import { describe, stringList } from '../framework/kinds/index.ts';
import type { AclView } from '../policies/index.ts';

/** Paths that one request may ask about: each is a search of its own. */
const MAX_PATHS = 256;

/** The parameters that name the paths. */
export const PATHS = {
  paths: describe(stringList([]), `the paths, at most ${MAX_PATHS}`),
  path: describe(stringList([]), 'the same'),
};

/** The paths that are asked about, each once. 400 where there are none, or too many. */
export function askedPaths({ paths, path }: { paths: readonly string[]; path: readonly string[] }): readonly string[] {
  const asked = new Set([...paths, ...path]);
  if (asked.size === 0) throw badRequest('paths: is required: give at least one path');
  if (asked.has('')) throw badRequest('paths: must not hold an empty path');
  if (asked.size > MAX_PATHS) throw badRequest(`paths: must have at most ${MAX_PATHS} elements`);
  return [...asked];
}

/** What is permitted on each path, by its name; of a single path `capabilities` tells the same. */
export function describeCapabilities(acl: AclView, asked: readonly string[]): Data {
  const found = asked.map((path) => [path, acl.capabilities(path)] as const);
  const [only] = found.length === 1 ? found : [];
  return Object.fromEntries(only === undefined ? found : [['capabilities', only[1]], only]);
}
