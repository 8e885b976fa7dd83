import { MAX_PATH_BYTES } from './limits.ts';

/** `.path` or `.key`, and what is done to it, in order. */
export interface Pipeline {
  readonly operand: 'path' | 'key';
  readonly calls: readonly Call[];
}

/** Undefined for what would be longer than any path. */
type Call = (text: string) => string | undefined;

/** The functions by name, each with the number of its arguments before the text. Arguments are texts or whole numbers. */
const FUNCTIONS: ReadonlyMap<string, readonly [arity: number, make: (args: readonly string[]) => Call | undefined]> =
  new Map([
    ['lowercase', [0, () => (text: string) => text.toLowerCase()] as const],
    ['uppercase', [0, () => (text: string) => text.toUpperCase()] as const],
    ['replace', [2, ([from = '', to = '']: readonly string[]) => replace(from, to)] as const],
    ['truncate', [1, ([length = '']: readonly string[]) => truncate(length)] as const],
  ]);

function replace(from: string, to: string): Call | undefined {
  if (from === '') return undefined;
  return (text) => {
    const parts = text.split(from);
    const length = text.length + (parts.length - 1) * (to.length - from.length);
    return length > 2 * MAX_PATH_BYTES ? undefined : parts.join(to);
  };
}

function truncate(length: string): Call | undefined {
  return /^[1-9][0-9]{0,3}$/.test(length) ? (text) => text.slice(0, Number(length)) : undefined;
}

/** Texts and pipelines in turn; undefined where the template is not one of these. */
export function parsePipelines(template: string): readonly (string | Pipeline)[] | undefined {
  const [first = '', ...rest] = template.split('{{');
  if (first.includes('}}')) return undefined;
  const pieces: (string | Pipeline)[] = [first];
  for (const piece of rest) {
    const [inside = '', literal = '', ...more] = piece.split('}}');
    const pipeline = more.length === 0 && piece.includes('}}') ? parsePipeline(inside) : undefined;
    if (pipeline === undefined) return undefined;
    pieces.push(pipeline, literal);
  }
  return pieces;
}

function parsePipeline(text: string): Pipeline | undefined {
  const words = wordsOf(text);
  if (words === undefined) return undefined;
  const [head = [], ...stages] = split(words);
  const [operand] = head;
  if (head.length !== 1 || (operand !== '.path' && operand !== '.key')) return undefined;
  const calls = stages.map(([name = '', ...args]) => {
    const [arity, make] = FUNCTIONS.get(name) ?? [];
    return args.length === arity ? make?.(args.map(unquoted)) : undefined;
  });
  return calls.includes(undefined)
    ? undefined
    : { operand: operand === '.path' ? 'path' : 'key', calls: calls.filter((call) => call !== undefined) };
}

/** Words, quoted texts and `|`, as they are spelled. */
function wordsOf(text: string): readonly string[] | undefined {
  const words: string[] = [];
  const word = /\s*(?:("(?:[^"\\]|\\["\\])*"|`[^`]*`|\||[.\w]+)|$)/y;
  while (word.lastIndex < text.length) {
    const found = word.exec(text);
    if (found === null) return undefined;
    if (found[1] !== undefined) words.push(found[1]);
  }
  return words;
}

function split(words: readonly string[]): readonly (readonly string[])[] {
  const stages: string[][] = [[]];
  for (const word of words) {
    if (word === '|') stages.push([]);
    else stages.at(-1)?.push(word);
  }
  return stages;
}

function unquoted(word: string): string {
  if (word.startsWith('"')) return word.slice(1, -1).replace(/\\(["\\])/g, '$1');
  return word.startsWith('`') ? word.slice(1, -1) : word;
}
