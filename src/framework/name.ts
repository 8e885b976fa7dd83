import { badRequest } from './errors.ts';
import { type Kind, string } from './kinds/index.ts';

/** Characters of a name. */
export const MAX_NAME_LENGTH = 128;

/** Letters, digits and `_` of ASCII; `.` and `-` inside. */
const NAME = /^\w(?:[\w.-]*\w)?$/;

/**
 * The name of a user or role, as the family spells it, in its one form: lower case (known-attacks R1, B4). What only looks
 * like it, such as a name with a blank behind it, is refused.
 */
export function foldedName(): Kind<string> {
  const kind = string();
  return {
    ...kind,
    fold: (text) => text.toLowerCase(),
    parse(field, value) {
      const name = kind.parse(field, value);
      if (name.length > MAX_NAME_LENGTH) throw badRequest(`${field}: must have at most ${MAX_NAME_LENGTH} characters`);
      if (!NAME.test(name)) {
        throw badRequest(`${field}: may hold letters, digits and _ of ASCII, and . and - between them`);
      }
      return name.toLowerCase();
    },
  };
}
