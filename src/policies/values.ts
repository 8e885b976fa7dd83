import { type Json, jsonString, scanJson } from '../framework/json/index.ts';
import type { Kind } from '../framework/kinds/index.ts';
import { equalsJson } from './equals-json.ts';
import { type Glob, globOf } from './glob.ts';
import { MAX_COMPARED_CHARACTERS, MAX_PATTERNS, MAX_PIECES } from './limits.ts';
import type { GivenParameter } from './parameters.ts';
import { elementsOf, isScalar, readBy, textOf } from './sent-value.ts';
import type { Value } from './syntax.ts';

/** What an element costs besides its characters. */
const ELEMENT_CHARACTERS = 16;

/**
 * The values that a rule lists for a parameter. A value sent is compared as it stands, and as the endpoint will read it:
 * `"F"`, `0` and `false` are one value where a boolean is due, `3600` and `"1h"` where a duration is; of a list each
 * element counts (known-attacks A9). What would cost too much to compare is denied, and not allowed.
 */
export class ValueList {
  readonly #any: boolean;
  readonly #null: boolean;
  readonly #texts: ReadonlySet<string>;
  readonly #globs: readonly Glob[];
  /** Lists and objects. */
  readonly #compound: readonly Value[];
  readonly #scalars: readonly Json[];
  /** The scalars as a kind reads them. */
  readonly #read = new WeakMap<Kind<unknown>, ReadonlySet<string>>();

  constructor(values: readonly Value[]) {
    const strings = values.flatMap((value) => (value.kind === 'string' ? [value.text] : []));
    const literals = values.flatMap((value) => (value.kind === 'literal' ? [value.text] : []));
    this.#any = values.length === 0;
    this.#null = literals.includes('null');
    this.#globs = strings.flatMap((text) => globOf(text) ?? []);
    this.#compound = values.filter(({ kind }) => kind === 'list' || kind === 'object');
    this.#scalars = [
      ...strings.filter((text) => globOf(text) === undefined).map(jsonString),
      ...literals.filter((text) => text !== 'null').map((text) => scanJson(text)),
    ];
    this.#texts = new Set(this.#scalars.flatMap((scalar) => textOf(scalar) ?? []));
  }

  /** Whether the value, an element of it, or a piece of these between commas is listed: for what is denied. */
  holdsAny(parameter: GivenParameter): boolean {
    const { value, kind } = parameter;
    if (this.#any) return true;
    if (value.kind === 'null') return this.#null;
    const elements = elementsOf(parameter);
    if (this.#isCostly(value, elements.length) || this.#holdsWhole(parameter)) return true;
    if (isScalar(kind)) return false;
    return elements.some((element) => {
      const pieces = piecesOf(element);
      return pieces === undefined || pieces.some((piece) => this.#matches(piece));
    });
  }

  /** Whether the value as a whole, or each of its elements, is listed: for what is allowed. */
  holdsAll(parameter: GivenParameter): boolean {
    const { value, kind } = parameter;
    if (this.#any) return true;
    if (value.kind === 'null') return this.#null;
    const elements = elementsOf(parameter);
    if (this.#isCostly(value, elements.length)) return false;
    if (isScalar(kind)) return this.#holdsWhole(parameter);
    if (this.#holdsCompound(value)) return true;
    // A text with commas may be read as a list: a glob must not let in what follows its first element.
    const holds = (element: string): boolean =>
      this.#texts.has(element) ||
      (this.#matches(element) && piecesOf(element)?.every((piece) => this.#matches(piece)) === true);
    return elements.length > 0 && elements.every(holds);
  }

  #holdsWhole({ name, value, kind }: GivenParameter): boolean {
    const text = textOf(value);
    if (text === undefined) return this.#holdsCompound(value);
    return this.#matches(text) || (kind !== undefined && this.#readsAlike(kind, name, value));
  }

  #holdsCompound(value: Json): boolean {
    return this.#compound.some((listed) => equalsJson(listed, value));
  }

  #matches(text: string): boolean {
    return this.#texts.has(text) || this.#globs.some((glob) => glob(text));
  }

  /** Whether the endpoint reads the value as it would one of the list. */
  #readsAlike(kind: Kind<unknown>, name: string, value: Json): boolean {
    const sent = readBy(kind, name, value);
    if (sent === undefined) return false;
    let known = this.#read.get(kind);
    if (known === undefined) {
      known = new Set(this.#scalars.flatMap((scalar) => readBy(kind, name, scalar) ?? []));
      this.#read.set(kind, known);
    }
    return known.has(sent);
  }

  #isCostly(value: Json, elements: number): boolean {
    const patterns = this.#globs.length + this.#compound.length;
    const characters = value.text.length + elements * ELEMENT_CHARACTERS;
    return patterns > MAX_PATTERNS || patterns * characters > MAX_COMPARED_CHARACTERS;
  }
}

/** The texts between commas, trimmed; undefined where they are too many to look at. */
function piecesOf(text: string): readonly string[] | undefined {
  const pieces = text.split(',', MAX_PIECES + 1);
  return pieces.length > MAX_PIECES ? undefined : [text, ...pieces.map((piece) => piece.trim())];
}
