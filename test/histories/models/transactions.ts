import { type Deterministic, deterministic } from '../history.ts';
import { transactionFacts } from './transaction-facts.ts';

/** One step of a transaction over records that hold numbers. */
export type Step =
  | { readonly do: 'get'; readonly key: string }
  | { readonly do: 'getMany'; readonly keys: readonly string[] }
  | { readonly do: 'range'; readonly start: string; readonly end: string; readonly limit: number }
  | { readonly do: 'list'; readonly prefix: string; readonly after: string; readonly limit: number }
  | { readonly do: 'put'; readonly key: string; readonly value: number }
  /** Adds one, or puts `first` where the record is missing; `spend` says that it counts even where the rest is dropped. */
  | { readonly do: 'add' | 'spend'; readonly key: string; readonly first: number }
  /** Puts `from` and the number of records from `start` to below `end`. */
  | { readonly do: 'count'; readonly key: string; readonly start: string; readonly end: string; readonly from: number }
  | { readonly do: 'delete'; readonly key: string }
  /** Throws where the record is missing, and what was written is dropped. */
  | { readonly do: 'demand'; readonly key: string };

export type Program = readonly Step[];

/** How many records `count` looks at. */
export const MOST_COUNTED = 100;

export type Records = ReadonlyMap<string, number>;

const READING: ReadonlySet<Step['do']> = new Set(['get', 'getMany', 'range', 'list', 'demand']);

const whole = deterministic<Records, Program>({
  initial: new Map(),
  name: (records) =>
    sorted(records)
      .map(([key, value]) => `${key}=${value}`)
      .join(' '),
  reads: (program) => program.every((step) => READING.has(step.do)),
  apply: (records, program) => {
    const work = new Map(records);
    const spent = new Map(records);
    const output: string[] = [];
    for (const step of program) {
      if (step.do === 'demand' && !work.has(step.key)) return { state: spent, output: [...output, 'thrown'].join(' ') };
      output.push(...run(step, work, spent));
    }
    return { state: work, output: output.join(' ') };
  },
});

/** Throws in any state. */
const FAIL: Step = { do: 'demand', key: 'nothing is ever put here' };

/**
 * Each transaction is one operation on all records, so a linearizable history is a strictly serializable one. Of one
 * whose outcome is unknown a read may have failed: then what it had spent until there may count, and nothing else.
 */
export const transactionsModel: Deterministic<Records, Program> = {
  ...whole,
  facts: transactionFacts,
  next(records, program, output) {
    if (output !== undefined) return whole.next(records, program, output);
    const failed = program.flatMap((step, i) => (step.do === 'spend' ? [[...program.slice(0, i + 1), FAIL]] : []));
    return [program, ...failed].map((one) => whole.apply(records, one).state);
  },
};

/** What a transaction in which a read failed may have left: what it had spent. */
export function spentBy(program: Program): Program | undefined {
  const last = program.findLastIndex((step) => step.do === 'spend');
  return last === -1 ? undefined : [...program.slice(0, last + 1), FAIL];
}

function run(step: Step, work: Map<string, number>, spent: Map<string, number>): readonly string[] {
  const show = (key: string): string => String(work.get(key) ?? 'none');
  switch (step.do) {
    case 'get':
    case 'demand':
      return [show(step.key)];
    case 'getMany':
      return [step.keys.map(show).join(',')];
    case 'range':
      return [
        within(work, step)
          .slice(0, step.limit)
          .map(([key, value]) => `${key}=${value}`)
          .join(','),
      ];
    case 'list':
      return [
        children(work, step.prefix)
          .filter((name) => name > step.after)
          .slice(0, step.limit)
          .join(','),
      ];
    case 'put':
      work.set(step.key, step.value);
      return [];
    case 'count':
      work.set(step.key, step.from + within(work, step).length);
      return [];
    case 'delete':
      work.delete(step.key);
      return [];
    case 'add':
    case 'spend': {
      const held = work.get(step.key);
      const sum = held === undefined ? step.first : held + 1;
      work.set(step.key, sum);
      if (step.do === 'spend') spent.set(step.key, sum);
      return [String(sum)];
    }
  }
}

/** Keys are ASCII here, so their order is that of their bytes. */
const sorted = (records: Records): readonly (readonly [string, number])[] =>
  [...records].sort(([a], [b]) => (a < b ? -1 : 1));

const within = (records: Records, { start, end }: { readonly start: string; readonly end: string }) =>
  sorted(records).filter(([key]) => start <= key && key < end);

function children(records: Records, prefix: string): readonly string[] {
  const names = sorted(records)
    .filter(([key]) => key.startsWith(prefix))
    .map(([key]) => key.slice(prefix.length))
    .map((rest) => (rest.includes('/') ? rest.slice(0, rest.indexOf('/') + 1) : rest));
  return [...new Set(names)];
}
