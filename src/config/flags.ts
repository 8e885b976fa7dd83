import { parseArgs } from 'node:util';
import { usageFailure } from '../failure.ts';
import { flagName, type Given, type Layer, type Table } from './settings.ts';

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

/** A name somebody typed, cut and cleaned for a sentence. */
export const shown = (name: string): string => JSON.stringify(name.slice(0, 64)).slice(1, -1);

/** "; did you mean …?" where a known name differs by little. */
export function suggestion(name: string, known: readonly string[]): string {
  const near = known.find((candidate) => name.length < 64 && distance(name, candidate) <= 2);
  return near === undefined ? '' : ` (did you mean ${near}?)`;
}

/** Levenshtein's distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
