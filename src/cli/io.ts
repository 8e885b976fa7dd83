import type { Environment } from '../config/variables.ts';
import type { SecretInput } from './secret-input.ts';

/** What a command works with. */
export interface Io {
  readonly environment: Environment;
  readonly input: SecretInput;
  /** Whether somebody looks at the standard error. */
  readonly terminal: boolean;
  /** Writes to the standard output; lines end in a line feed. */
  out(text: string): void;
  /** Writes to the standard error. */
  err(text: string): void;
}

/** One command of the program. */
export interface Command {
  /** As typed: `operator init`. */
  readonly name: string;
  readonly summary: string;
  /** The text of `--help`. */
  help(): string;
  /** Resolves with the exit code; a `Failure` carries its own. */
  run(args: readonly string[], io: Io): Promise<number>;
}

/** Rows of a name and a value, in columns. */
export function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 3;
  return rows.map(([name, value]) => `${name.padEnd(width)}${value}\n`).join('');
}
