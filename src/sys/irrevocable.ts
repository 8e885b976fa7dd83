import { badRequest } from '../framework/errors.ts';
import { bool, describe, enumOf, type Kind } from '../framework/kinds/index.ts';
import { kindOf } from '../framework/kinds/kind.ts';
import { parseInteger, readText } from '../framework/kinds/scalars.ts';

/** Which leases are meant: the family has this one type. */
export const ofType = {
  type: describe(enumOf(['irrevocable']), 'which leases: those that their engine failed to take back six times'),
  include_child_namespaces: describe(bool(false), 'taken for the family: there are none'),
};

/** Leases that are shown where nothing is said. */
const DEFAULT_LIMIT = 10_000;

/** A positive number, or `none` for as many as one answer shows. */
export const leaseLimit = (most: number): Kind<number> =>
  kindOf(
    { type: 'string' },
    (field, value) => {
      const text = readText(field, value);
      if (text === '') return DEFAULT_LIMIT;
      if (text.toLowerCase() === 'none') return most;
      const limit = parseInteger(field, text);
      if (limit < 1) throw badRequest(`${field}: must be "none" or a positive number`);
      return Math.min(limit, most);
    },
    DEFAULT_LIMIT,
    '',
  );
