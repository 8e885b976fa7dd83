import type { FactRules } from '../facts.ts';
import type { Program, Records, Step } from './transactions.ts';

/**
 * Values begin at different multiples of this, and what is added to them is less: so a value tells which step it comes
 * from.
 */
export const VALUE_STEP = 1_000;

const originOf = (value: number): number => Math.floor(value / VALUE_STEP) * VALUE_STEP;

/** Facts are `key=value`: the record holds this value, or one that it can still grow from. Makers are `key=origin`. */
export const transactionFacts: FactRules<Records, Program> = {
  makes: (program) =>
    program.flatMap((step) => {
      const origin = beginning(step);
      return origin === undefined || !('key' in step) ? [] : [`${step.key}=${origin}`];
    }),
  needs: (program, output) =>
    found(program, output).map(({ key, value }) => ({ fact: `${key}=${value}`, maker: `${key}=${originOf(value)}` })),
  holds(records, fact) {
    const [key = '', text] = fact.split('=');
    const value = Number(text);
    const held = records.get(key) ?? 0;
    return originOf(value) <= held && held <= value;
  },
};

/** What the records held before the transaction, as far as its output tells. */
function found(program: Program, output: string): readonly { readonly key: string; readonly value: number }[] {
  const words = output.split(' ');
  const own = new Set<string>();
  const all: { key: string; value: number }[] = [];
  for (const step of program) {
    const word = SILENT.has(step.do) ? '' : words.shift();
    if (word === undefined || word === 'thrown') break;
    for (const [key, value] of pairsOf(step, word)) if (!own.has(key) && value !== undefined) all.push({ key, value });
    if ('key' in step && WRITING.has(step.do)) own.add(step.key);
  }
  return all;
}

/** The value that a step may begin a record with. */
function beginning(step: Step): number | undefined {
  if (step.do === 'put') return step.value;
  if (step.do === 'count') return step.from;
  return step.do === 'add' || step.do === 'spend' ? step.first : undefined;
}

const SILENT: ReadonlySet<Step['do']> = new Set(['put', 'count', 'delete']);
const WRITING: ReadonlySet<Step['do']> = new Set(['put', 'count', 'delete', 'add', 'spend']);

/** Keys with what the word of the step says that they held. */
function pairsOf(step: Step, word: string): readonly (readonly [string, number | undefined])[] {
  switch (step.do) {
    case 'get':
    case 'demand':
      return [[step.key, numberIn(word)]];
    case 'add':
    case 'spend':
      return [[step.key, Number(word) === step.first ? undefined : Number(word) - 1]];
    case 'getMany': {
      const values = word.split(',');
      return step.keys.map((key, i) => [key, numberIn(values[i] ?? '')]);
    }
    case 'range':
      return word.split(',').flatMap((entry) => {
        const [key = '', value = ''] = entry.split('=');
        return key === '' ? [] : [[key, numberIn(value)] as const];
      });
    default:
      return [];
  }
}

const numberIn = (text: string): number | undefined => (/^\d+$/.test(text) ? Number(text) : undefined);
