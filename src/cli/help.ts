import { fileName, flagName, type Table, variableName } from '../config/settings.ts';
import { table } from './io.ts';

/** The flags and variables of a table, one per line, with what they are for and their defaults. */
export function describeSettings(settings: Table): string {
  const rows = Object.entries(settings).map(([key, setting]) => {
    const { about, fallback, secret } = setting;
    const name = secret ? `${variableName(key, setting)}, ${fileName(key)}` : flagName(key);
    const shown = fallback === undefined || fallback === false || key === 'data' ? '' : ` (default ${fallback})`;
    return [`  ${name}`, `${about}${shown}`] as const;
  });
  return table(rows);
}
