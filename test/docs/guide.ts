import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Pages whose commands are run as a reader would run them, one after the other, in one shell. */

/** A fenced block of a page. */
export interface Block {
  /** The word behind the fence. */
  readonly language: string;
  /** What follows that word. */
  readonly info: string;
  readonly text: string;
  /** Of the fence, from 1. */
  readonly line: number;
}

/** Of the project; these tests run from `dist/test/docs`. */
export const projectFile = (name: string): URL => new URL(`../../../${name}`, import.meta.url);

export const page = (name: string): string => readFileSync(projectFile(name), 'utf8');

export function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { language: string; info: string; line: number; lines: string[] } | undefined;
  for (const [at, line] of markdown.split('\n').entries()) {
    if (!line.startsWith('```')) open?.lines.push(line);
    else if (open === undefined) {
      const [, language = '', info = ''] = /^```(\S*) *(.*)$/.exec(line) ?? [];
      open = { language, info, line: at + 1, lines: [] };
    } else {
      const { lines, ...rest } = open;
      blocks.push({ ...rest, text: lines.map((text) => `${text}\n`).join('') });
      open = undefined;
    }
  }
  assert.equal(open, undefined, 'a block is not closed');
  return blocks;
}

/** Commands of a page, and what the page says that they print, where it says so. */
export interface Step {
  readonly line: number;
  readonly commands: string;
  readonly printed: Block | undefined;
}

/** The `sh` blocks of a page; a `json` or `text` block that follows one directly is what it prints. */
export function stepsOf(markdown: string): readonly Step[] {
  const blocks = blocksOf(markdown);
  return blocks.flatMap(({ language, line, text }, i) => {
    if (language !== 'sh') return [];
    const next = blocks[i + 1];
    const follows = next !== undefined && ['json', 'text'].includes(next.language);
    return [{ line, commands: text, printed: follows && next.info === 'printed' ? next : undefined }];
  });
}

export const missing = (command: string): boolean => {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' });
    return false;
  } catch {
    return true;
  }
};

/** Where the pages say that the server listens. */
const ADDRESS = 'http://127.0.0.1:8200';

export interface Place {
  /** The address of the server that takes the place of the pages'. */
  readonly url: string;
  /** The folder that commands are run in. */
  readonly folder: string;
}

/** Runs steps in one shell that stops at the first command that fails; answers what each printed. */
export async function runSteps(steps: readonly Step[], { url, folder }: Place): Promise<readonly string[]> {
  const mark = (step: number): string => `== end of step ${step} ==`;
  const script = steps
    .map(({ commands }, i) => `${commands.replaceAll(ADDRESS, url)}\nprintf '%s\\n' '${mark(i)}'\n`)
    .join('');
  const inherited = Object.entries(process.env).filter(([name]) => !/^(KEYHOLD|VAULT|BAO)_/.test(name));
  const { PATH = '' } = process.env;
  const env = { ...Object.fromEntries(inherited), PATH: `${dirname(process.execPath)}:${PATH}` };
  const out = await new Promise<string>((resolve, reject) => {
    const done = (error: Error | null, stdout: string, stderr: string): void => {
      if (error === null) resolve(stdout);
      else reject(new Error(`the commands failed: ${stderr}\nafter: ${stdout}`));
    };
    const shell = execFile('sh', ['-eu'], { cwd: folder, env, timeout: 60_000 }, done);
    shell.stdin?.end(script);
  });
  let rest = out;
  return steps.map((_, i) => {
    const [printed = '', ...behind] = rest.split(`${mark(i)}\n`);
    rest = behind.join('');
    return printed;
  });
}

/** Asserts that a step printed what its page says. */
export function checkPrinted({ line, printed }: Step, actual: string): void {
  if (printed === undefined) return;
  const where = `what the commands of line ${line} print`;
  if (printed.language === 'text') {
    assert.ok(matches(printed.text.trim(), actual.trim()), `${where}:\n${actual}`);
    return;
  }
  const found: unknown = JSON.parse(actual);
  assert.ok(holds(JSON.parse(printed.text), found), `${where}:\n${JSON.stringify(found, undefined, 2)}`);
}

const ANYTHING = '…';

/** Whether a value has all that the page shows of it: members may be left out there, and `…` is anything. */
export function holds(shown: unknown, value: unknown): boolean {
  if (typeof shown === 'string') return typeof value === 'string' ? matches(shown, value) : shown === ANYTHING;
  if (typeof shown !== 'object' || shown === null) return Object.is(shown, value);
  if (typeof value !== 'object' || value === null || Array.isArray(shown) !== Array.isArray(value)) return false;
  const members = Object.entries(shown);
  if (Array.isArray(shown) && members.length !== Object.keys(value).length) return false;
  return members.every(([name, member]) => Object.hasOwn(value, name) && holds(member, Reflect.get(value, name)));
}

/** Whether a text is as shown, where each `…` stands for any text. */
export function matches(shown: string, text: string): boolean {
  const [first = '', ...others] = shown.split(ANYTHING);
  if (others.length === 0) return text === shown;
  const last = others.pop() ?? '';
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
