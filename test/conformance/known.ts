import type { Outcome } from './outcomes.ts';

/** Cases that wait for a feature which this server does not have yet. */
export interface Known {
  readonly waitsFor: string;
  /** Number of the issue that brings it; absent where none is open yet. */
  readonly issue: number | undefined;
  /** Names of cases, as an `Outcome` has them. */
  readonly cases: readonly string[];
  /** Names of whole suites, which do not run at all: those of an engine that is missing altogether. */
  readonly suites: readonly string[];
}

/** What a run came to beside the list; anything in `faults` fails it. */
export interface Verdict {
  readonly passed: number;
  /** Listed, and they failed. */
  readonly known: number;
  readonly skipped: number;
  readonly faults: readonly string[];
}

/** The list: all its cases and all its suites by name. Throws where it is not a list of known failures. */
export class KnownFailures {
  readonly suites: ReadonlySet<string>;
  readonly #cases = new Map<string, Known>();

  constructor(list: unknown) {
    const known = parse(list);
    this.suites = new Set(known.flatMap(({ suites }) => suites));
    for (const entry of known) {
      for (const name of entry.cases) {
        if (this.#cases.has(name)) throw new Error(`listed twice: ${name}`);
        this.#cases.set(name, entry);
      }
    }
  }

  /** Compares what the cases of the suites that ran came to with the list: both must say the same of these suites. */
  judge(ran: readonly string[], outcomes: readonly Outcome[]): Verdict {
    const faults: string[] = [];
    const met = new Set<string>();
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const { name, result, reason } of outcomes) {
      count[result] += 1;
      met.add(name);
      const known = this.#cases.get(name);
      if (known === undefined && result === 'failed') faults.push(`failed: ${name}\n${reason}`);
      if (known !== undefined && result !== 'failed') {
        faults.push(`${result}, but listed as waiting for ${known.waitsFor}: ${name}`);
      }
    }
    for (const name of this.#cases.keys()) {
      const suite = name.split(' › ', 1)[0] ?? '';
      if (!met.has(name) && ran.includes(suite)) faults.push(`listed, but there is no such case: ${name}`);
    }
    const known = outcomes.filter(({ name, result }) => result === 'failed' && this.#cases.has(name)).length;
    return { passed: count.passed, known, skipped: count.skipped, faults };
  }
}

function parse(list: unknown): readonly Known[] {
  if (!Array.isArray(list)) throw new Error('the list of known failures must be an array');
  return list.map(entryOf);
}

function entryOf(value: unknown): Known {
  const fields = new Map<string, unknown>(Object.entries(Object(value)));
  const waitsFor = fields.get('waitsFor');
  const issue = fields.get('issue');
  if (typeof waitsFor !== 'string') throw new Error('a known failure must say in waitsFor what it waits for');
  if (issue !== undefined && typeof issue !== 'number') throw new Error(`${waitsFor}: issue must be a number`);
  const names = (field: string): readonly string[] => {
    const list = fields.get(field) ?? [];
    if (!Array.isArray(list)) throw new Error(`${waitsFor}: ${field} must be an array`);
    return list.map(String);
  };
  return { waitsFor, issue, cases: names('cases'), suites: names('suites') };
}
