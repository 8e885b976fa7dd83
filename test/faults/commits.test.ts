import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryServer } from './memory-server.ts';
import { Random } from './random.ts';
import { CountedUses } from './subjects/counted.ts';
import { mount } from './subjects/mount.ts';
import { policy } from './subjects/policy.ts';
import { CasRace } from './subjects/race.ts';
import { secret } from './subjects/secret.ts';
import { families } from './subjects/tokens.ts';
import { Tracked, type Witness } from './witness.ts';

const STEPS = 60;
const MOST_COMMITS = 400;

interface Run {
  readonly failures: number;
  readonly refused: number;
  readonly acknowledged: number;
}

/** The same requests in the same order each time; after each refusal everything is compared with what was promised. */
async function scenario(fails: (commit: number) => boolean): Promise<Run> {
  const server = new MemoryServer(fails);
  await server.open();
  const whileOpening = server.failures;
  const random = new Random(11);
  const witnesses: readonly Witness[] = [
    ...[new Tracked(secret('a')), new Tracked(secret('a/b')), new Tracked(policy('p')), new Tracked(families('f'))],
    ...[new Tracked(mount('m')), new CountedUses('c'), new CasRace('r')],
  ];
  const check = async (): Promise<void> => {
    for (const witness of witnesses) await witness.check(server, true);
  };
  let refused = 0;
  for (let step = 0; step < STEPS; step++) {
    if (await random.pick(witnesses).step(server, random)) continue;
    refused++;
    await check();
  }
  await check();
  return { failures: server.failures, refused: refused + whileOpening, acknowledged: STEPS - refused };
}

for (const [what, length] of [
  ['one commit', 1],
  ['three commits in a row', 3],
] as const) {
  test(`whichever ${what} of a server fails: 503, nothing is done by halves, and it goes on`, async () => {
    let first = 1;
    for (; first < MOST_COMMITS; first++) {
      const { failures, refused, acknowledged } = await scenario(
        (commit) => commit >= first && commit < first + length,
      );
      assert.equal(refused, failures, `commit ${first}: each failure is one refusal`);
      assert.equal(acknowledged + refused >= STEPS, true);
      if (failures === 0) break;
    }
    assert.ok(first > STEPS / 2 && first < MOST_COMMITS, `the scenario has ${first} commits`);
  });
}
