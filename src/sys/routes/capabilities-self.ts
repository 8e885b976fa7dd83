import { badRequest } from '../../framework/errors.ts';
import { describe, stringList } from '../../framework/kinds/index.ts';
import { write } from '../context.ts';

/** Paths that one request may ask about: each is a search of its own. */
const MAX_PATHS = 256;

export const capabilitiesSelf = write(
  'capabilities-self',
  {
    summary: 'What the calling token may do on each of the given paths',
    params: {
      paths: describe(stringList([]), `the paths, at most ${MAX_PATHS}`),
      path: describe(stringList([]), 'the same'),
    },
    shape: 'flat',
  },
  ({ paths, path }, { acl }) => {
    const asked = new Set([...paths, ...path]);
    if (asked.size === 0) throw badRequest('paths: is required: give at least one path');
    if (asked.has('')) throw badRequest('paths: must not hold an empty path');
    if (asked.size > MAX_PATHS) throw badRequest(`paths: must have at most ${MAX_PATHS} elements`);
    const found = [...asked].map((path) => [path, acl.capabilities(path)] as const);
    const [only] = found.length === 1 ? found : [];
    return { data: Object.fromEntries(only === undefined ? found : [['capabilities', only[1]], only]) };
  },
);
