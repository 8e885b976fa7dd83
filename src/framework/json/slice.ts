import { isBlank, skipBlank } from './bytes.ts';
import type { Layout } from './scan.ts';

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/**
 * A valid JSON value kept as the text it arrived as, so that digits, order and odd names survive storage (architecture
 * section 7). Immutable; it comes from `scanBody`, `scanJson` and `jsonString` alone.
 */
export interface Json {
  readonly kind: JsonKind;
  /** The exact text, decoded anew at each use: keep it if it is needed twice. */
  readonly text: string;
  /** The same as UTF-8: a view into the scanned bytes, to read and never to write. */
  readonly bytes: Buffer;
  /** Visits the members of an object in order, duplicates too; a name comes as its JSON text. Linear in own size. */
  eachMember(visit: (nameText: string, value: Json) => void): void;
  /** Visits the elements of an array in order. */
  eachItem(visit: (value: Json) => void): void;
}

/** The one implementation; only `json.ts` makes the outermost one, so that validation always came first. */
export class Slice implements Json {
  readonly kind: JsonKind;
  readonly #layout: Layout;
  readonly #start: number;
  readonly #end: number;
  /** Of this object or array among the containers of the layout. */
  readonly #ordinal: number;

  constructor(layout: Layout, start: number, end: number, ordinal: number) {
    this.kind = jsonKind(layout.bytes[start]);
    this.#layout = layout;
    this.#start = start;
    this.#end = end;
    this.#ordinal = ordinal;
  }

  get text(): string {
    return this.#layout.bytes.toString('utf8', this.#start, this.#end);
  }

  get bytes(): Buffer {
    return this.#layout.bytes.subarray(this.#start, this.#end);
  }

  eachMember(visit: (nameText: string, value: Json) => void): void {
    if (this.kind !== 'object') throw new TypeError(`members of a JSON ${this.kind}`);
    const { bytes } = this.#layout;
    this.#walk(
      (at) => stringEnd(bytes, at),
      (start, end, value) => visit(bytes.toString('utf8', start, end), value),
    );
  }

  eachItem(visit: (value: Json) => void): void {
    if (this.kind !== 'array') throw new TypeError(`items of a JSON ${this.kind}`);
    this.#walk(undefined, (_start, _end, value) => visit(value));
  }

  /** Visits each child with the place of its name, which is empty in an array. */
  #walk(
    nameEnd: ((at: number) => number) | undefined,
    visit: (nameStart: number, nameEnd: number, value: Json) => void,
  ): void {
    const { bytes, containers } = this.#layout;
    const last = this.#end - 1;
    let ordinal = this.#ordinal + 1;
    let at = skipBlank(bytes, this.#start + 1);
    while (at < last) {
      const nameStart = at;
      const afterName = nameEnd === undefined ? at : nameEnd(at);
      if (nameEnd !== undefined) at = skipBlank(bytes, skipBlank(bytes, afterName) + 1);
      const start = at;
      const first = bytes[start];
      const nested = first === 0x7b || first === 0x5b;
      if (nested) at = containers[2 * ordinal] ?? last;
      else at = first === 0x22 ? stringEnd(bytes, start) : scalarEnd(bytes, start);
      visit(nameStart, afterName, new Slice(this.#layout, start, at, ordinal));
      if (nested) ordinal = containers[2 * ordinal + 1] ?? ordinal;
      at = skipBlank(bytes, at);
      if (at < last) at = skipBlank(bytes, at + 1);
    }
  }
}

function jsonKind(first: number | undefined): JsonKind {
  switch (first) {
    case 0x7b:
      return 'object';
    case 0x5b:
      return 'array';
    case 0x22:
      return 'string';
    case 0x74:
    case 0x66:
      return 'boolean';
    case 0x6e:
      return 'null';
    default:
      return 'number';
  }
}

/** Of a valid string: the byte after its closing quote. */
function stringEnd(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (bytes[at] !== 0x22) at += bytes[at] === 0x5c ? 2 : 1;
  return at + 1;
}

/** Of a valid number or literal inside a container: the byte after it. */
function scalarEnd(bytes: Buffer, start: number): number {
  let at = start;
  for (;;) {
    const byte = bytes[at];
    if (byte === 0x2c || byte === 0x5d || byte === 0x7d || byte === undefined || isBlank(byte)) return at;
    at += 1;
  }
}
