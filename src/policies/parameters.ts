import type { Json } from '../framework/json/index.ts';
import type { Kind } from '../framework/kinds/index.ts';
import type { ParameterLists } from './constraints.ts';
import { ValueList } from './values.ts';

/** One parameter of a request, by the name it was sent under. */
export interface GivenParameter {
  readonly name: string;
  readonly value: Json;
  /** How the endpoint reads it; undefined where it does not declare the name. */
  readonly kind: Kind<unknown> | undefined;
  /** What else the endpoint calls it: older names and the present one. */
  readonly also?: readonly string[];
}

const ALL = '*';

/** The parameter rules of one path (4-open-points, Tokens and policies; known-attacks A9). */
export class ParameterRules {
  readonly required: ReadonlySet<string>;
  readonly #allowed: ReadonlyMap<string, ValueList>;
  readonly #denied: ReadonlyMap<string, ValueList>;

  constructor(allowed: ParameterLists, denied: ParameterLists, required: ReadonlySet<string>) {
    this.required = required;
    this.#allowed = compile(allowed);
    this.#denied = compile(denied);
  }

  /**
   * Denied goes before allowed. A rule for a name holds for all names of the parameter. A name counts in any letter case; a required one only as the endpoint reads it, in lower
   * case, and not as null, which is not given.
   * @param requires whether parameters can be required here: not of a delete, as in the family
   */
  permits(given: readonly GivenParameter[], requires: boolean): boolean {
    if (requires && !this.#hasRequired(given)) return false;
    if (given.length === 0) return true;
    if (this.#denied.has(ALL)) return false;
    if (this.#denied.size > 0 && given.some((parameter) => this.#isDenied(parameter))) return false;
    return this.#allowed.size === 0 || given.every((parameter) => this.#isAllowed(parameter));
  }

  #hasRequired(given: readonly GivenParameter[]): boolean {
    if (this.required.size === 0) return true;
    const names = new Set(given.flatMap(({ name, value }) => (value.kind === 'null' ? [] : [name])));
    for (const name of this.required) if (!names.has(name)) return false;
    return true;
  }

  #isDenied(parameter: GivenParameter): boolean {
    const names = [parameter.name, ...(parameter.also ?? [])];
    return names.some((name) => this.#denied.get(name.toLowerCase())?.holdsAny(parameter) === true);
  }

  #isAllowed(parameter: GivenParameter): boolean {
    const values = this.#allowed.get(parameter.name.toLowerCase());
    if (values === undefined ? !this.#allowed.has(ALL) : !values.holdsAll(parameter)) return false;
    const others = parameter.also ?? [];
    return others.every((name) => this.#allowed.get(name.toLowerCase())?.holdsAll(parameter) !== false);
  }
}

const compile = (lists: ParameterLists): ReadonlyMap<string, ValueList> =>
  new Map(Array.from(lists, ([name, values]) => [name, new ValueList(values)]));
