import { Failure } from '../failure.ts';

/** What of the standard input is used. */
export interface SecretInput extends AsyncIterable<unknown> {
  readonly isTTY?: boolean;
  setEncoding(encoding: 'utf8'): unknown;
  setRawMode?(on: boolean): unknown;
}

const MAX_LENGTH = 4_096;

/** One line that is not shown: asked for at a terminal, else the first line of what is piped in. */
export async function readSecret(input: SecretInput, ask: (prompt: string) => void, prompt: string): Promise<string> {
  if (!input.isTTY) return firstLine(input);
  ask(prompt);
  input.setRawMode?.(true);
  try {
    return await firstLine(input);
  } finally {
    input.setRawMode?.(false);
    ask('\n');
  }
}

const INTERRUPT = '\x03';
const END = '\x04';
const ERASE = ['\x7f', '\b'];

/** Reads up to the line's end. At a raw terminal it also minds the keys that the terminal would have minded. */
async function firstLine(input: SecretInput): Promise<string> {
  let line = '';
  input.setEncoding('utf8');
  for await (const chunk of input) {
    for (const character of String(chunk)) {
      if (character === '\n' || character === '\r') return line.trim();
      if (input.isTTY && character === INTERRUPT) throw new Failure('interrupted');
      if (input.isTTY && character === END) return line.trim();
      line = input.isTTY && ERASE.includes(character) ? line.slice(0, -1) : line + character;
      if (line.length > MAX_LENGTH) throw new Failure(`the input is longer than ${MAX_LENGTH} characters`);
    }
  }
  return line.trim();
}
