import type { Headers } from './message.ts';

const A = 0x41;
const Z = 0x5a;
const CASE = 0x20;

/** Places of one line in the head: start and end of the name, start and end of the value. */
const PLACES = 4;

const NONE: readonly string[] = Object.freeze([]);

/** The bit that stands for names of this length; lengths over 32 share bits. */
export const lengthBit = (length: number): number => 1 << length;

/** Header fields as places in the text of the head; nothing is copied before somebody asks for it. */
export class Fields implements Headers {
  readonly #text: string;
  readonly #places: readonly number[];
  readonly #lengths: number;

  /**
   * `places` holds four offsets into `text` per line: name start, name end, value start, value end. `lengths` has the bits
   * of all names' lengths, so that most names that are absent need no search.
   */
  constructor(text: string, places: readonly number[], lengths: number) {
    this.#text = text;
    this.#places = places;
    this.#lengths = lengths;
  }

  get(lowerCaseName: string): string | undefined {
    const first = this.#find(lowerCaseName, 0);
    if (first < 0) return undefined;
    if (this.#find(lowerCaseName, first + PLACES) < 0) return this.#value(first);
    return this.lines(lowerCaseName).join(', ');
  }

  lines(lowerCaseName: string): readonly string[] {
    const first = this.#find(lowerCaseName, 0);
    if (first < 0) return NONE;
    const values: string[] = [];
    for (let at = first; at >= 0; at = this.#find(lowerCaseName, at + PLACES)) {
      values.push(this.#value(at));
    }
    return values;
  }

  #value(at: number): string {
    return this.#text.slice(this.#places[at + 2], this.#places[at + 3]);
  }

  #find(name: string, from: number): number {
    if ((this.#lengths & lengthBit(name.length)) === 0) return -1;
    const places = this.#places;
    for (let at = from; at < places.length; at += PLACES) {
      const start = places[at] ?? 0;
      if ((places[at + 1] ?? 0) - start === name.length && this.#named(name, start)) return at;
    }
    return -1;
  }

  #named(name: string, start: number): boolean {
    for (let i = 0; i < name.length; i++) {
      const code = this.#text.charCodeAt(start + i);
      if ((code >= A && code <= Z ? code | CASE : code) !== name.charCodeAt(i)) return false;
    }
    return true;
  }
}
