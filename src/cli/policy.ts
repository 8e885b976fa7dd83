import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { readFlags } from '../config/flags.ts';
import { EXIT, Failure, reasonOf, usageFailure } from '../failure.ts';
import { ServiceError } from '../framework/errors.ts';
import { formatPolicy } from '../policies/index.ts';
import type { Command, Io } from './io.ts';

const SUMMARY = 'Lays out the policy in a file in the usual way; - reads the standard input and writes to the output.';

export const policyFmt: Command = {
  name: 'policy fmt',
  summary: SUMMARY,
  help: () => `keyhold policy fmt FILE\n${SUMMARY}\n`,
  async run(args, io) {
    const files = readFlags(args, {}).positionals;
    const [file] = files;
    if (file === undefined || files.length > 1) throw usageFailure('policy fmt: takes one file, or - for the input');
    if (file === '-') io.out(format(await readAll(io.input), 'the standard input'));
    else formatFile(file, io);
    return EXIT.ok;
  },
};

function formatFile(file: string, io: Io): void {
  const text = guard(file, 'read', () => decode(readFileSync(file), file));
  const formatted = format(text, file);
  if (formatted !== text) guard(file, 'written', () => replace(file, formatted));
  io.out(`${formatted === text ? 'Formatted already' : 'Formatted'}: ${file}\n`);
}

const decode = (bytes: Buffer, where: string): string => {
  if (!isUtf8(bytes)) throw new Failure(`${where}: must be UTF-8`);
  return bytes.toString('utf8');
};

/** Characters of a text that is read on: a policy is shorter. */
const MAX_INPUT = 4 * 1024 * 1024;

async function readAll(input: Io['input']): Promise<string> {
  let text = '';
  input.setEncoding('utf8');
  for await (const chunk of input) {
    text += String(chunk);
    if (text.length > MAX_INPUT) throw new Failure(`the standard input is longer than ${MAX_INPUT} characters`);
  }
  return text;
}

/** Writes beside the file and puts it in its place, so that at no moment half a policy stands there. */
function replace(file: string, text: string): void {
  const place = realpathSync(file);
  const draft = `${place}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    writeFileSync(draft, text, { mode: statSync(place).mode & 0o777, flag: 'wx' });
    renameSync(draft, place);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

function format(text: string, where: string): string {
  try {
    return formatPolicy(text);
  } catch (error) {
    if (error instanceof ServiceError) throw new Failure(`${where}: ${error.message}`);
    throw error;
  }
}

function guard<T>(file: string, done: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`the file ${file} cannot be ${done}: ${reasonOf(error)}`);
  }
}
