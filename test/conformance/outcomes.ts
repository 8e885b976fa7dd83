import { basename } from 'node:path';
import { run } from 'node:test';

/** What one case of a suite came to. */
export interface Outcome {
  /** `kv › KV v2 › a test`: the suite and the names that lead to the test. */
  readonly name: string;
  readonly result: 'passed' | 'failed' | 'skipped';
  /** Of a failure: what was wrong. */
  readonly reason: string;
}

/** What the runner of node tells of a test or of a group of tests. */
interface Told {
  readonly name: string;
  readonly nesting: number;
  readonly details: { readonly type?: string | undefined; readonly error?: unknown };
  readonly skip?: string | boolean | undefined;
}

const FILE_MILLIS = 300_000;

/** The name of a suite: of its file, without the ending. */
export const suiteOf = (file: string): string => basename(file, '.test.mjs');

/**
 * Runs one suite in a process of its own and gives the outcome of each case, in the order of the file. A group that
 * failed counts only where none of its cases tells why.
 */
export async function runSuite(
  file: string,
  environment: Readonly<Record<string, string>>,
): Promise<readonly Outcome[]> {
  const cases = new Cases(suiteOf(file), file);
  const stream = run({ files: [file], timeout: FILE_MILLIS, env: { ...process.env, ...environment } });
  for await (const { type, data } of stream) {
    if (type === 'test:start') cases.enter(data);
    else if (type === 'test:pass') cases.add(data, data.skip ? 'skipped' : 'passed');
    else if (type === 'test:fail') cases.add(data, 'failed');
  }
  return cases.outcomes;
}

class Cases {
  readonly outcomes: Outcome[] = [];
  readonly #suite: string;
  readonly #file: string;
  readonly #names: string[] = [];
  readonly #met = new Map<string, number>();

  constructor(suite: string, file: string) {
    this.#suite = suite;
    this.#file = file;
  }

  /** Tests are told in the order of the file, groups around what they hold. */
  enter({ name, nesting }: Pick<Told, 'name' | 'nesting'>): void {
    this.#names.length = nesting;
    this.#names.push(name);
  }

  add(told: Told, result: Outcome['result']): void {
    const { error, type } = told.details;
    // A group says nothing of its own: its cases do, unless it was skipped or broke by itself.
    if (result === 'failed' && failureType(error) === 'subtestsFailed') return;
    if (result === 'passed' && type === 'suite') return;
    // A file without a single test is told as a test of its own that passed.
    const empty = result === 'passed' && told.name === this.#file;
    if (empty) this.#note(told, 'failed', 'the suite holds no test');
    else this.#note(told, result, result === 'failed' ? describe(error) : '');
  }

  #note(told: Told, result: Outcome['result'], reason: string): void {
    const path = [this.#suite, ...this.#names.slice(0, told.nesting), told.name].join(' › ');
    const count = (this.#met.get(path) ?? 0) + 1;
    this.#met.set(path, count);
    const name = count === 1 ? path : `${path} #${count}`;
    this.outcomes.push({ name, result, reason });
  }
}

const failureType = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'failureType' in error ? error.failureType : undefined;

function describe(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
