import { readFlags } from '../config/flags.ts';
import { oneOf } from '../config/kinds.ts';
import { readSettings, setting, type Table, type Values } from '../config/settings.ts';
import { readVariables } from '../config/variables.ts';
import { usageFailure } from '../failure.ts';
import { CLIENT_SETTINGS } from './client.ts';
import { describeSettings } from './help.ts';
import type { Command, Io } from './io.ts';

/** The form of what a command writes to the standard output. */
const FORMAT = { format: setting(oneOf(['text', 'json']), 'text', 'text for people, or json') };

type ClientCommandSettings<T extends Table> = Values<typeof CLIENT_SETTINGS & typeof FORMAT & T>;

interface Spec<T extends Table> {
  readonly name: string;
  readonly summary: string;
  /** Settings of this command alone. */
  readonly own: T;
  /** Name of the one value that may follow, if any. */
  readonly value?: string;
  readonly run: (settings: ClientCommandSettings<T>, io: Io, value: string | undefined) => Promise<number>;
}

/** Declares a command that talks to a running server. */
export function clientCommand<T extends Table>({ name, summary, own, value, run }: Spec<T>): Command {
  const settings = { ...own, ...CLIENT_SETTINGS, ...FORMAT };
  return {
    name,
    summary,
    help: () =>
      `keyhold ${name}${value === undefined ? '' : ` [${value}]`} [flags]\n${summary}\n\n${describeSettings(settings)}`,
    async run(args, io) {
      const { layer, positionals } = readFlags(args, settings);
      if (positionals.length > (value === undefined ? 0 : 1)) throw tooMany(name, value);
      return run(readSettings(settings, [readVariables(io.environment, settings), layer]), io, positionals[0]);
    },
  };
}

const tooMany = (name: string, value: string | undefined) =>
  usageFailure(
    `${name}: takes ${value === undefined ? 'flags only; a value was given' : `one value [${value}]; more were given`}`,
  );

/** An answer as JSON, indented, with a line end. */
export const asJson = (members: ReadonlyMap<string, unknown>): string =>
  `${JSON.stringify(Object.fromEntries(members), undefined, 2)}\n`;
