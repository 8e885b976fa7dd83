// Prints random histories, good and bad, with the verdict of the checker, for another checker to judge: one line of JSON
// each.
//
//   node dist/test/histories/porcupine/export.js [COUNT] [SEED] | (cd test/histories/porcupine && go run .)
import { Random } from '../../faults/random.ts';
import { cellInput, cellModel } from '../cell.ts';
import { check } from '../checker.ts';
import type { Deterministic } from '../history.ts';
import { type SecretInput, secretsModel } from '../models/secrets.ts';
import { type UsesInput, usesModel } from '../models/uses.ts';
import { linearizableHistory, tampered } from '../testing.ts';

const CHECK_MILLIS = 20_000;

function usesInput(random: Random): UsesInput {
  const kind = random.below(10);
  if (kind === 0) return { do: 'revoke' };
  return kind < 3 ? { do: 'create', uses: 1 + random.below(4) } : { do: random.once(6) ? 'ask' : 'use' };
}

function secretInput(random: Random): SecretInput {
  const name = random.pick(['a', 'b'] as const);
  const kind = random.below(10);
  if (kind < 3) return { do: 'read', name };
  if (kind < 5) return { do: 'list' };
  if (kind < 7) return { do: kind === 5 ? 'delete' : 'remove', name };
  return { do: 'write', name, value: random.below(4), ...(random.once(2) ? { cas: random.below(3) } : {}) };
}

function line<S, I>(name: string, model: Deterministic<S, I>, input: (random: Random) => I, random: Random): string {
  const wish = {
    operations: 8 + random.below(50),
    clients: 2 + random.below(5),
    lostOnceIn: 6 + random.below(20),
    input,
  };
  let history = linearizableHistory(model, wish, random);
  for (let bad = random.below(3); bad > 0; bad--) history = tampered(history, random);
  const { kind } = check(model, history, { until: performance.now() + CHECK_MILLIS });
  return JSON.stringify({ model: name, verdict: kind, history });
}

const [count = 1_500, seed = 1] = process.argv.slice(2).map(Number);
for (let i = 0; i < count; i++) {
  const random = new Random(seed + i);
  if (i % 3 === 0) console.log(line('cell', cellModel, cellInput, random));
  else if (i % 3 === 1) console.log(line('uses', usesModel, usesInput, random));
  else console.log(line('secrets', secretsModel, secretInput, random));
}
