import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parse, TomlError, type TomlTableWithoutBigInt } from 'smol-toml';
import { reasonOf, usageFailure } from '../failure.ts';
import { fileName, type Given, type Layer, type Table } from './settings.ts';
import { shown, suggestion } from './suggestion.ts';

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_DEPTH = 8;

/** What a TOML file of at most 1 MiB says. `notInFile` are keys that make no sense there. Any mistake ends the command. */
export function readFile(path: string, table: Table, notInFile: ReadonlySet<string>): Layer {
  const file = basename(path);
  const keys = new Map(
    Object.keys(table)
      .filter((key) => !notInFile.has(key))
      .map((key) => [fileName(key), key]),
  );
  const layer = new Map<string, Given>();
  for (const [name, raw] of Object.entries(parseToml(contentOf(path), file))) {
    const key = keys.get(name);
    if (key === undefined) {
      throw usageFailure(`${file}: there is no setting "${shown(name)}"${suggestion(name, [...keys.keys()])}`);
    }
    const source = `${file}: ${name}`;
    if (typeof raw !== 'string' && typeof raw !== 'number' && typeof raw !== 'boolean') {
      throw usageFailure(`${source}: must be ${table[key]?.kind.expects}`);
    }
    layer.set(key, { raw, source });
  }
  return layer;
}

function contentOf(path: string): string {
  try {
    const descriptor = openSync(path, 'r');
    try {
      const stat = fstatSync(descriptor);
      if (!stat.isFile()) throw new Error('it is not a regular file');
      if (stat.size > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES} bytes`);
      return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(descriptor));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const reason = error instanceof TypeError ? 'it is not UTF-8 text' : reasonOf(error);
    throw usageFailure(`the configuration file ${path} cannot be read: ${reason}`);
  }
}

function parseToml(content: string, file: string): TomlTableWithoutBigInt {
  try {
    return parse(content, { maxDepth: MAX_DEPTH, unsafeKeyBehaviour: 'throw' });
  } catch (error) {
    // Its own message shows the lines around, which may hold a secret.
    if (error instanceof TomlError) {
      throw usageFailure(`${file}: line ${error.line}, column ${error.column} is not TOML`);
    }
    throw usageFailure(`${file}: is not TOML`);
  }
}
