import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { isSchemaName } from '../storage/postgres/schema.ts';
import { parseAddress } from './address.ts';

/** A value as it was given: text by a flag or a variable, any scalar by the file. */
export type Raw = string | number | boolean;

/** How the value of a setting is read. */
export interface Kind<T> {
  /** Completes "must be …". */
  readonly expects: string;
  /** A flag of this kind may stand without a value. */
  readonly bare: boolean;
  /** Undefined where the value is none of this kind. */
  read(raw: Raw): T | undefined;
}

const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'True', 'TRUE']);
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'False', 'FALSE']);

/** True or false, in the spellings of "4-open-points: Conventions". */
export const toggle: Kind<boolean> = {
  expects: 'true or false',
  bare: true,
  read(raw) {
    const text = String(raw);
    if (TRUE.has(text)) return true;
    return FALSE.has(text) ? false : undefined;
  },
};

/** A whole number within inclusive limits. */
export function integer(min: number, max: number): Kind<number> {
  return {
    expects: `a whole number from ${min} to ${max}`,
    bare: false,
    read(raw) {
      if (typeof raw === 'boolean' || (typeof raw === 'string' && !/^-?[0-9]{1,16}$/.test(raw))) return undefined;
      const number = Number(raw);
      return Number.isInteger(number) && number >= min && number <= max ? number : undefined;
    },
  };
}

/** One line of text without control characters, of at most so many characters. */
export function text(maxLength: number): Kind<string> {
  return {
    expects: `a text of 1 to ${maxLength} characters without control characters`,
    bare: false,
    read: (raw) => (typeof raw === 'string' && raw.length <= maxLength && /^\P{Cc}+$/u.test(raw) ? raw : undefined),
  };
}

/** A token that somebody chose by hand; without a dot, as custom token ids are (4-open-points: Tokens). */
export function tokenText(maxLength: number): Kind<string> {
  return {
    expects: `1 to ${maxLength} letters, digits, "-" or "_"`,
    bare: false,
    read: (raw) =>
      typeof raw === 'string' && raw.length <= maxLength && /^[A-Za-z0-9_-]+$/.test(raw) ? raw : undefined,
  };
}

/** A file or folder; made absolute from the folder the command was started in. */
export const path: Kind<string> = {
  expects: 'a path',
  bare: false,
  read: (raw) => (typeof raw === 'string' && raw !== '' && !raw.includes('\0') ? resolve(raw) : undefined),
};

/** An address to listen at, kept as it was written. */
export const address: Kind<string> = {
  expects: 'HOST:PORT such as 127.0.0.1:8200 or [::1]:8200',
  bare: false,
  read: (raw) => (typeof raw === 'string' && parseAddress(raw) !== undefined ? raw : undefined),
};

/** A schema of a database, by a name that needs no quotes. */
export const schemaName: Kind<string> = {
  expects: '1 to 63 lower-case letters, digits and "_", no digit first',
  bare: false,
  read: (raw) => (typeof raw === 'string' && isSchemaName(raw) ? raw : undefined),
};

/** One of the given words. */
export function oneOf<const T extends string>(words: readonly T[]): Kind<T> {
  return {
    expects: `one of ${words.join(', ')}`,
    bare: false,
    read: (raw) => words.find((word) => word === raw),
  };
}

const MOST_PROCESSES = 64;

/** A number of processes; `auto`: one for each core that this one may use. */
export const processes: Kind<number> = {
  expects: `a whole number from 1 to ${MOST_PROCESSES}, or auto`,
  bare: false,
  read: (raw) =>
    raw === 'auto' ? Math.min(MOST_PROCESSES, availableParallelism()) : integer(1, MOST_PROCESSES).read(raw),
};
