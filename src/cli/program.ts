import { EXIT, Failure, usageFailure } from '../failure.ts';
import { printable } from '../printable.ts';
import { VERSION } from '../version.ts';
import type { Command, Io } from './io.ts';
import { table } from './io.ts';
import { operatorInit, operatorSeal, operatorUnseal } from './operator.ts';
import { policyFmt } from './policy.ts';
import { server } from './server.ts';
import { status } from './status.ts';

const COMMANDS: readonly Command[] = [server, status, operatorInit, operatorUnseal, operatorSeal, policyFmt];

/** Runs the command that the arguments name. Resolves with the exit code: 0 done, 1 failed, 2 used wrongly. */
export async function runProgram(args: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(args, io);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    io.err(`keyhold: ${printable(error.message)}\n`);
    return error.exitCode;
  }
}

async function dispatch(args: readonly string[], io: Io): Promise<number> {
  const [first = '--help', second = ''] = args;
  if (first === '--version' || first === 'version') return say(io, `keyhold ${VERSION}\n`);
  const command = COMMANDS.find(({ name }) => name === first || name === `${first} ${second}`);
  const asked = ['--help', '-h', 'help'];
  if (command === undefined) {
    const group = COMMANDS.some(({ name }) => name.startsWith(`${first} `));
    if (asked.includes(first) || (group && (second === '' || asked.includes(second)))) {
      return say(io, overview());
    }
    throw usageFailure('there is no such command; "keyhold --help" lists them');
  }
  const rest = args.slice(command.name.split(' ').length);
  if (rest.includes('--help') || rest.includes('-h')) return say(io, command.help());
  return command.run(rest, io);
}

function say(io: Io, text: string): number {
  io.out(text);
  return EXIT.ok;
}

const overview = (): string =>
  `keyhold ${VERSION}: a server for secrets\n\n${table(COMMANDS.map(({ name, summary }) => [`  keyhold ${name}`, summary]))}\n"keyhold COMMAND --help" tells the flags of a command.\n`;
