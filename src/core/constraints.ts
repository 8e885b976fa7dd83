import type { Endpoint } from '../framework/endpoint.ts';
import { permissionDenied } from '../framework/errors.ts';
import { jsonString, stringValue } from '../framework/json/index.ts';
import type { Constraints } from '../policies/index.ts';
import type { Given } from './parameters.ts';

/** What the rule of a policy that decided says besides its capabilities: each refusal is the same 403 as theirs. */

/** The rules on parameters: of what the endpoint will read, body or query, under every name that was sent (A9). */
export function checkParameters(
  constraints: Constraints,
  { params, verb }: Pick<Endpoint<never>, 'params' | 'verb'>,
  given: Given,
): void {
  const sent = [...given.names()].flatMap((name) => {
    const value = given.member(name);
    const kind = Object.hasOwn(params, name) ? params[name] : undefined;
    // A body that is read as a whole has no declared members.
    if (value === undefined) return [];
    return [{ name, value, kind: kind?.whole === true ? undefined : kind, also: otherNames(params, name) }];
  });
  if (!constraints.permits(sent, verb !== 'remove')) throw permissionDenied();
}

/** What else a parameter is called. */
function otherNames(params: Endpoint<never>['params'], name: string): readonly string[] {
  const present = (Object.hasOwn(params, name) ? params[name]?.olderOf : undefined) ?? name;
  const older = Object.entries(params).flatMap(([other, kind]) => (kind.olderOf === present ? [other] : []));
  return [present, ...older].filter((other) => other !== name);
}

const LIMIT = 'limit';

/**
 * The parameters of a list, its `limit` within the rule's (known-attacks A11): where none is given, or 0 for all, the
 * rule's holds; what is more, or less than 0, is refused. `max` is the most there may be, as in the family.
 */
export function pageOf(constraints: Constraints | undefined, given: Given): Given {
  const asked = given.member(LIMIT);
  const text = asked?.kind === 'string' ? stringValue(asked) : undefined;
  if (constraints?.requires(LIMIT) === true && text === undefined) throw permissionDenied();
  const most = constraints?.paginationLimit;
  if (most === undefined) return text === 'max' ? withLimit(given, 0) : given;
  if (text === undefined || text === 'max' || text === '') return withLimit(given, most);
  const limit = Number(text);
  // What is no number is refused by the endpoint, with a sentence.
  if (Number.isNaN(limit)) return given;
  if (limit < 0 || limit > most) throw permissionDenied();
  return limit === 0 ? withLimit(given, most) : given;
}

const withLimit = (given: Given, limit: number): Given => ({
  ...given,
  member: (name) => (name === LIMIT ? jsonString(String(limit)) : given.member(name)),
});
