import { usageFailure } from '../failure.ts';
import type { Kind, Raw } from './kinds.ts';

/** Everything known about one setting. Its key in the table is its name in the code. */
export interface Setting<T> {
  readonly kind: Kind<T>;
  /** What holds where nobody says otherwise. */
  readonly fallback: T;
  readonly about: string;
  /** A secret is taken from no flag, since all users of a machine see those. */
  readonly secret?: boolean;
  /** Name of the variable where it is not the setting's own. */
  readonly variable?: string;
}

export type Table = Readonly<Record<string, Setting<unknown>>>;
export type Values<T extends Table> = { readonly [K in keyof T]: T[K] extends Setting<infer V> ? V : never };

/** A value and where it was found, as sentences name it: `--listen`, `KEYHOLD_LISTEN`, `keyhold.toml: listen`. */
export interface Given {
  readonly raw: Raw;
  readonly source: string;
}

/** Values by the key of their setting, from one place. */
export type Layer = ReadonlyMap<string, Given>;

export const setting = <T>(kind: Kind<T>, fallback: T, about: string, more: Partial<Setting<T>> = {}): Setting<T> => ({
  kind,
  fallback,
  about,
  ...more,
});

/** A setting that may be left out altogether. */
export const optional = <T>(
  kind: Kind<T>,
  about: string,
  more: Partial<Setting<T | undefined>> = {},
): Setting<T | undefined> => ({ kind, fallback: undefined, about, ...more });

/** `bodyBytes` as the file has it: `body_bytes`. */
export const fileName = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `bodyBytes` as a flag: `--body-bytes`. */
export const flagName = (key: string): string => `--${fileName(key).replaceAll('_', '-')}`;

/** `bodyBytes` as a variable: `KEYHOLD_BODY_BYTES`. */
export const variableName = (key: string, { variable }: Setting<unknown>): string =>
  variable ?? `KEYHOLD_${fileName(key).toUpperCase()}`;

/**
 * The values of a table; a later layer wins over an earlier one, and all are checked. A value that is not of its
 * setting's kind ends the command; its text is not repeated, since it may be a secret that slipped.
 */
export function readSettings<T extends Table>(table: T, layers: readonly Layer[]): Values<T> {
  const values = new Map(Object.entries(table).map(([key, { fallback }]) => [key, fallback]));
  for (const layer of layers) {
    for (const [key, { raw, source }] of layer) {
      const kind = table[key]?.kind;
      if (kind === undefined) throw new Error(`no setting ${key}`);
      const value = kind.read(raw);
      if (value === undefined) throw usageFailure(`${source}: must be ${kind.expects}`);
      values.set(key, value);
    }
  }
  // Each key of the table has its fallback or a value read by its own kind.
  return Object.fromEntries(values) as Values<T>;
}
