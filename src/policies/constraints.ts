import type { KeyFilter } from './key-filter.ts';
import { type GivenParameter, ParameterRules } from './parameters.ts';
import type { Value } from './syntax.ts';

/** What a rule says besides its capabilities, as written. Times in milliseconds. */
export interface RuleConstraints {
  /** By names in lower case; an empty list stands for any value, the name `*` for all other names. */
  readonly allowed?: ParameterLists;
  readonly denied?: ParameterLists;
  /** In lower case. */
  readonly required?: readonly string[];
  readonly minWrappingTtl?: number;
  readonly maxWrappingTtl?: number;
  readonly paginationLimit?: number;
  readonly keyFilter?: KeyFilter;
}

export type ParameterLists = ReadonlyMap<string, readonly Value[]>;

/** Limits in milliseconds of the lifetime that a wrapped answer is asked for; with either, it must be asked for. */
export interface WrappingBounds {
  readonly min: number | undefined;
  readonly max: number | undefined;
}

/**
 * What all rules of one path say besides their capabilities. It merges as the family does (4-open-points, Tokens and
 * policies): parameters add up by name, an empty list winning; of two bounds, and of two page sizes, the smaller holds.
 */
export class Constraints {
  readonly wrapping: WrappingBounds | undefined;
  /** Names in one page of a list at most. */
  readonly paginationLimit: number | undefined;
  /** A name is listed where all of them lead to what the caller may read. */
  readonly keyFilters: readonly KeyFilter[];
  readonly #parameters: ParameterRules;

  constructor(rules: readonly RuleConstraints[]) {
    const min = least(rules.map(({ minWrappingTtl }) => minWrappingTtl));
    const max = least(rules.map(({ maxWrappingTtl }) => maxWrappingTtl));
    this.wrapping = min === undefined && max === undefined ? undefined : { min, max };
    this.paginationLimit = least(rules.map(({ paginationLimit }) => paginationLimit));
    const filters = new Map(rules.flatMap(({ keyFilter }) => (keyFilter ? [[keyFilter.text, keyFilter]] : [])));
    this.keyFilters = [...filters.values()];
    this.#parameters = new ParameterRules(
      merge(rules.map(({ allowed }) => allowed)),
      merge(rules.map(({ denied }) => denied)),
      new Set(rules.flatMap(({ required = [] }) => required)),
    );
  }

  /** Whether the parameters of a read, write, patch or delete may be what they are (known-attacks A9). */
  permits(given: readonly GivenParameter[], requires: boolean): boolean {
    return this.#parameters.permits(given, requires);
  }

  /** Whether a parameter of this name, in lower case, must be given. */
  requires(name: string): boolean {
    return this.#parameters.required.has(name);
  }
}

/** Whether an answer may go out that is wrapped for so long; 0 is not at all. */
export const withinBounds = ({ min, max }: WrappingBounds, ttlMillis: number): boolean =>
  ttlMillis > 0 && (min === undefined || ttlMillis >= min) && (max === undefined || ttlMillis <= max);

const least = (numbers: readonly (number | undefined)[]): number | undefined =>
  numbers.reduce((a, b) => (a === undefined || (b !== undefined && b < a) ? b : a), undefined);

function merge(lists: readonly (ParameterLists | undefined)[]): ParameterLists {
  const merged = new Map<string, Value[]>();
  for (const list of lists) {
    for (const [name, values] of list ?? []) {
      const known = merged.get(name);
      if (known === undefined) merged.set(name, [...values]);
      else if (known.length === 0 || values.length === 0) known.length = 0;
      else for (const value of values) known.push(value);
    }
  }
  return merged;
}
