// Kills a writing server again and again, and checks after each start that no promise was broken.
//
//   npm run prove:kill -- [--kills 200] [--seed N]
import { parseArgs } from 'node:util';
import { proveKills } from './kill.ts';

const { values } = parseArgs({ options: { kills: { type: 'string' }, seed: { type: 'string' } } });
const kills = Number(values.kills ?? 200);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
if (!Number.isSafeInteger(kills) || kills < 1 || !Number.isSafeInteger(seed)) {
  throw new Error('--kills: a positive integer; --seed: an integer');
}
console.log(`kills ${kills}, seed ${seed}`);
const began = performance.now();
const report = await proveKills(kills, seed, (kill) => {
  if (kill > 0 && kill % 20 === 0) console.log(`  ${kill} kills`);
});
console.log(JSON.stringify(report));
console.log(`every promise was kept, ${Math.round((performance.now() - began) / 1000)} s`);
