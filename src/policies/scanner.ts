import { refused } from './syntax.ts';

export type TokenKind = 'string' | 'word' | 'number' | '{' | '}' | '[' | ']' | '=' | ',' | ':' | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** Decoded for a string, as spelled for the others. */
  readonly text: string;
  readonly line: number;
}

/** A comment as it stands, its marks included. */
export interface Comment {
  readonly text: string;
  readonly line: number;
}

const isDigit = (c: string): boolean => c >= '0' && c <= '9';
const isLetter = (c: string): boolean => (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c === '_';
const isWordPart = (c: string): boolean => isLetter(c) || isDigit(c) || c === '-' || c === '.';
const isNumberPart = (c: string): boolean => isWordPart(c) || c === '+';

/** Tokens of a policy text, HCL or JSON: each character is looked at once. */
export class Scanner {
  readonly #text: string;
  #at = 0;
  #line = 1;
  #start = 0;
  #token: Token;
  #comments: Comment[] = [];

  constructor(text: string) {
    this.#text = text;
    this.#token = this.#read();
  }

  /** The token in hand, not yet taken. */
  get token(): Token {
    return this.#token;
  }

  /** The token in hand as it is spelled. */
  get spelling(): string {
    return this.#text.slice(this.#start, this.#at);
  }

  /** The comments met since the last call, up to the token in hand. */
  takeComments(): readonly Comment[] {
    const comments = this.#comments;
    this.#comments = [];
    return comments;
  }

  take(): Token {
    const taken = this.#token;
    this.#token = this.#read();
    return taken;
  }

  /** Takes the token in hand when it is of this kind. */
  skip(kind: TokenKind): boolean {
    if (this.#token.kind !== kind) return false;
    this.take();
    return true;
  }

  /** Takes a token of this kind, or refuses with what was due in its place. */
  expect(kind: TokenKind, due: string): Token {
    if (this.#token.kind !== kind) throw refused(this.#token.line, `expected ${due}`);
    return this.take();
  }

  #read(): Token {
    this.#skipBlanks();
    const line = this.#line;
    this.#start = this.#at;
    const c = this.#text.charAt(this.#at);
    switch (c) {
      case '':
        return { kind: 'end', text: '', line };
      case '{':
      case '}':
      case '[':
      case ']':
      case '=':
      case ',':
      case ':':
        this.#at += 1;
        return { kind: c, text: c, line };
      case '"':
        return { kind: 'string', text: this.#string(), line };
    }
    if (isLetter(c)) return { kind: 'word', text: this.#while(isWordPart), line };
    if (isDigit(c) || c === '-') return { kind: 'number', text: this.#while(isNumberPart), line };
    throw refused(line, 'unexpected character; a policy is made of path "…" { capabilities = […] } blocks');
  }

  #while(part: (c: string) => boolean): string {
    const start = this.#at;
    while (part(this.#text.charAt(this.#at))) this.#at += 1;
    return this.#text.slice(start, this.#at);
  }

  /** Both languages share JSON's strings; the rarer escapes of HCL (octal, \x, \U) have no use in a policy. */
  #string(): string {
    const start = this.#at;
    for (;;) {
      this.#at += 1;
      const c = this.#text.charAt(this.#at);
      if (c === '' || c === '\n') throw refused(this.#line, 'a string is not closed by a double quote on its line');
      if (c === '"') break;
      if (c === '\\') this.#at += 1;
    }
    this.#at += 1;
    try {
      const decoded: unknown = JSON.parse(this.#text.slice(start, this.#at));
      if (typeof decoded === 'string') return decoded;
    } catch {
      // refused below
    }
    throw refused(this.#line, 'a string holds a control character or an escape other than \\" \\\\ \\n \\t \\u0000');
  }

  #skipBlanks(): void {
    for (;;) {
      const c = this.#text.charAt(this.#at);
      if (c === '\n') this.#line += 1;
      if (c === ' ' || c === '\t' || c === '\r' || c === '\n') this.#at += 1;
      else if (c === '#' || (c === '/' && this.#text.charAt(this.#at + 1) === '/')) this.#skipLine();
      else if (c === '/' && this.#text.charAt(this.#at + 1) === '*') this.#skipBlock();
      else return;
    }
  }

  #skipLine(): void {
    const end = this.#text.indexOf('\n', this.#at);
    const start = this.#at;
    this.#at = end === -1 ? this.#text.length : end;
    this.#comments.push({ text: this.#text.slice(start, this.#at), line: this.#line });
  }

  #skipBlock(): void {
    const end = this.#text.indexOf('*/', this.#at + 2);
    if (end === -1) throw refused(this.#line, 'a comment opened by /* is not closed by */');
    this.#comments.push({ text: this.#text.slice(this.#at, end + 2), line: this.#line });
    for (let i = this.#text.indexOf('\n', this.#at); i !== -1 && i < end; i = this.#text.indexOf('\n', i + 1)) {
      this.#line += 1;
    }
    this.#at = end + 2;
  }
}
