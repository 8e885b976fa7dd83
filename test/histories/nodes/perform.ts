import type { Transaction } from '../../../src/storage/store.ts';
import { MOST_COUNTED, type Program, type Step } from '../models/transactions.ts';

/** How a transaction ends whose demand was not met; the message is what it had read until then. */
export class Thrown extends Error {}

/** Runs a program in a transaction and gives what it read, in the words of `transactionsModel`. */
export async function perform(tx: Transaction, program: Program, prefix: string): Promise<string> {
  const output: string[] = [];
  for (const step of program) {
    if (step.do === 'demand' && (await tx.get(prefix + step.key)) === undefined)
      throw new Thrown([...output, 'thrown'].join(' '));
    output.push(...(await run(tx, step, prefix)));
  }
  return output.join(' ');
}

async function run(tx: Transaction, step: Step, prefix: string): Promise<readonly string[]> {
  const at = (key: string): string => prefix + key;
  switch (step.do) {
    case 'get':
    case 'demand':
      return [show(await tx.get(at(step.key)))];
    case 'getMany':
      return [(await tx.getMany(step.keys.map(at))).map(show).join(',')];
    case 'range': {
      const entries = await tx.range({ start: at(step.start), end: at(step.end), limit: step.limit });
      return [entries.map(({ key, value }) => `${key.slice(prefix.length)}=${value}`).join(',')];
    }
    case 'list':
      return [(await tx.list({ prefix: at(step.prefix), after: step.after, limit: step.limit })).join(',')];
    case 'put':
      tx.put(at(step.key), number(step.value));
      return [];
    case 'count': {
      const found = await tx.range({ start: at(step.start), end: at(step.end), limit: MOST_COUNTED });
      tx.put(at(step.key), number(step.from + found.length));
      return [];
    }
    case 'delete':
      tx.delete(at(step.key));
      return [];
    case 'add':
    case 'spend': {
      const held = await tx.get(at(step.key));
      const sum = held === undefined ? step.first : Number(held) + 1;
      (step.do === 'spend' ? tx.spend : tx).put(at(step.key), number(sum));
      return [String(sum)];
    }
  }
}

const number = (value: number): Buffer => Buffer.from(String(value));
const show = (value: Buffer | undefined): string => value?.toString() ?? 'none';
