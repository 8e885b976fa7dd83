import { type Pipeline, parsePipelines } from './key-filter-syntax.ts';
import { MAX_FILTER_CALLS, MAX_FILTER_LENGTH, MAX_PATH_BYTES } from './limits.ts';
import { refused } from './syntax.ts';

/**
 * The template of `list_scan_response_keys_filter_path`: out of the listed folder and a name in it the path that the caller
 * must be permitted to read (a folder: to list) for the name to be shown.
 */
export class KeyFilter {
  readonly text: string;
  readonly #pieces: readonly (string | Pipeline)[];

  private constructor(text: string, pieces: readonly (string | Pipeline)[]) {
    this.text = text;
    this.#pieces = pieces;
  }

  /** 400 where it is none, or says the same of every name. */
  static parse(text: string, line: number): KeyFilter {
    if (text.length > MAX_FILTER_LENGTH) throw refused(line, `${KEY} is longer than ${MAX_FILTER_LENGTH} characters`);
    const pieces = parsePipelines(text);
    if (pieces === undefined) {
      throw refused(
        line,
        `${KEY} must be a path with {{ .path }} and {{ .key }}, which | replace "a" "b", lowercase, uppercase and truncate 7 may change`,
      );
    }
    const calls = pieces.reduce((sum, piece) => sum + (typeof piece === 'string' ? 0 : piece.calls.length), 0);
    if (calls > MAX_FILTER_CALLS) throw refused(line, `${KEY} calls more than ${MAX_FILTER_CALLS} functions`);
    const filter = new KeyFilter(text, pieces);
    if (filter.pathOf('a/', 'k1') === filter.pathOf('a/', 'k2'))
      throw refused(line, `${KEY} must depend on {{ .key }}`);
    return filter;
  }

  /**
   * @param folder the path of the list, which ends in `/`
   * @returns undefined where it is longer than any path
   */
  pathOf(folder: string, key: string): string | undefined {
    let path = '';
    for (const piece of this.#pieces) {
      const text = typeof piece === 'string' ? piece : run(piece, folder, key);
      if (text === undefined) return undefined;
      path += text;
    }
    return path.length > MAX_PATH_BYTES ? undefined : path;
  }
}

const KEY = 'list_scan_response_keys_filter_path';

function run({ operand, calls }: Pipeline, folder: string, key: string): string | undefined {
  let text: string | undefined = operand === 'key' ? key : folder;
  for (const call of calls) {
    text = call(text);
    if (text === undefined) return undefined;
  }
  return text;
}
