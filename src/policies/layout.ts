import { type Comment, Scanner } from './scanner.ts';

/** What a text of HCL looks like: as it is spelled, with its comments and the empty lines that set things apart. */
export interface Layout {
  readonly list: boolean;
  readonly entries: readonly Entry[];
  /** Comments behind the last entry. */
  readonly closing: readonly Note[];
  /** Whether it went over several lines. */
  readonly broken: boolean;
}

/** A member, or an element of a list. */
export interface Entry {
  readonly before: readonly Note[];
  /** Whether an empty line stands before it, or between its comments and it. */
  readonly blank: boolean;
  /** `path "a"` or a name, as spelled; empty for an element. */
  readonly head: string;
  /** Whether `=` stands between head and value. */
  readonly assigned: boolean;
  readonly value: string | Layout;
  /** Comments in its last line. */
  readonly after: readonly Note[];
}

export interface Note {
  readonly text: string;
  /** Whether an empty line stands before it. */
  readonly blank: boolean;
}

/** The layout of a text that `parsePolicy` has passed. */
export const readLayout = (text: string): Layout => new LayoutReader(text).read();

class LayoutReader {
  readonly #scanner: Scanner;
  /** The line in which what was read last ends. */
  #line = 0;
  /** Comments that belong to what comes next. */
  #waiting: Note[] = [];

  constructor(text: string) {
    this.#scanner = new Scanner(text);
  }

  read(): Layout {
    return this.#entries('end', () => this.#member());
  }

  #entries(end: 'end' | ']' | '}', read: () => Entry): Layout {
    const first = this.#line;
    const entries: Entry[] = [];
    this.#wait();
    while (this.#scanner.token.kind !== end) {
      entries.push(read());
      this.#wait();
    }
    const closing = this.#takeWaiting();
    this.#take();
    return { list: end === ']', entries, closing, broken: this.#line !== first };
  }

  #member(): Entry {
    const blank = this.#isApart();
    const before = this.#takeWaiting();
    let head = this.#take();
    if (this.#scanner.token.kind === 'string') head += ` ${this.#take()}`;
    const assigned = this.#scanner.token.kind === '=';
    if (assigned) this.#take();
    // Comments between the parts of a head have no place of their own: they go before it.
    const inside = this.#comments().map(({ text }) => ({ text: clean(text), blank: false }));
    const value = this.#value();
    return {
      before: [...before, ...inside],
      blank: blank && inside.length === 0,
      head,
      assigned,
      value,
      after: this.#after(),
    };
  }

  #element(): Entry {
    const blank = this.#isApart();
    const before = this.#takeWaiting();
    return { before, blank, head: '', assigned: false, value: this.#value(), after: this.#after() };
  }

  #value(): string | Layout {
    const { kind } = this.#scanner.token;
    const spelled = this.#take();
    if (kind === '[') return this.#entries(']', () => this.#element());
    if (kind === '{') return this.#entries('}', () => this.#member());
    return spelled;
  }

  /** A comma, and the comments in the line of what was just read; those in later lines wait. */
  #after(): readonly Note[] {
    const comments = [...this.#comments()];
    if (this.#scanner.token.kind === ',') {
      const line = this.#line;
      this.#take();
      // A comma in a line of its own leaves nothing there.
      this.#line = comments.length === 0 ? this.#line : line;
      comments.push(...this.#comments());
    }
    const line = this.#line;
    const after = comments.filter((comment) => comment.line === line);
    for (const comment of after) this.#line = Math.max(this.#line, endOf(comment));
    this.#note(comments.filter((comment) => comment.line !== line));
    return after.map(({ text }) => ({ text: clean(text), blank: false }));
  }

  #wait(): void {
    this.#note(this.#comments());
  }

  #note(comments: readonly Comment[]): void {
    for (const comment of comments) {
      this.#waiting.push({ text: clean(comment.text), blank: comment.line > this.#line + 1 });
      this.#line = endOf(comment);
    }
  }

  #takeWaiting(): readonly Note[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  #isApart(): boolean {
    return this.#scanner.token.line > this.#line + 1;
  }

  #comments(): readonly Comment[] {
    return this.#scanner.takeComments();
  }

  /** Takes the token in hand as it is spelled. */
  #take(): string {
    const { spelling, token } = this.#scanner;
    this.#line = token.line;
    this.#scanner.take();
    return spelling;
  }
}

const endOf = ({ line, text }: Comment): number => line + text.split('\n').length - 1;

const clean = (text: string): string => text.replaceAll('\r', '').trimEnd();
