import { parseArgs } from 'node:util';
import { usageFailure } from '../failure.ts';
import { flagName, type Given, type Layer, type Table } from './settings.ts';
import { shown, suggestion } from './suggestion.ts';

export interface Flags {
  readonly layer: Layer;
  readonly positionals: readonly string[];
}

/** Reads `--name VALUE`, `--name=VALUE` and, of a yes-or-no setting, `--name` alone. An unknown flag ends the command. */
export function readFlags(args: readonly string[], table: Table): Flags {
  const keys = new Map(Object.keys(table).map((key) => [flagName(key), key]));
  const options = Object.fromEntries(
    Object.entries(table).map(([key, { kind }]) => [
      flagName(key).slice(2),
      { type: kind.bare ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const layer = new Map<string, Given>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const key = keys.get(token.rawName);
    const setting = key === undefined ? undefined : table[key];
    if (key === undefined || setting === undefined) throw unknownFlag(token.rawName, [...keys.keys()]);
    if (setting.secret) throw usageFailure(`${token.rawName}: a secret is given by variable or file, not by a flag`);
    const swallowed = token.value !== undefined && !token.inlineValue && token.value.startsWith('--');
    if (!setting.kind.bare && (token.value === undefined || swallowed)) {
      throw usageFailure(`${token.rawName}: needs a value, ${setting.kind.expects}`);
    }
    layer.set(key, { raw: token.value ?? true, source: token.rawName });
  }
  return { layer, positionals };
}

const unknownFlag = (name: string, known: readonly string[]) =>
  usageFailure(`${shown(name)}: there is no such flag${suggestion(name, known)}; --help lists them`);
