import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HttpClient } from './client.ts';
import { Crew } from './crew.ts';
import { launch, live } from './life.ts';
import { Random } from './random.ts';
import { checkRecords } from './records.ts';

/** What a proof came to. */
export interface KillReport {
  readonly kills: number;
  /** Of these, servers that were killed while they started. */
  readonly whileStarting: number;
  readonly acknowledged: number;
  readonly refused: number;
  /** Requests under way when the server was killed, that turned out to be carried out, and not. */
  readonly found: number;
  readonly absent: number;
  /** Records in the store at the end, all accounted for. */
  readonly records: number;
}

const CLIENTS = 12;
const LONGEST_MILLIS = 400;
const MOST_ANSWERS = 600;

/**
 * Kills a writing server again and again (SIGKILL), and after each start compares what is stored with what was
 * acknowledged. Rejects with a `Violation` where a promise was broken.
 * @param progress told of each kill
 */
export async function proveKills(kills: number, seed: number, progress: (kill: number) => void): Promise<KillReport> {
  const folder = mkdtempSync(join(tmpdir(), 'keyhold-kill-'));
  const random = new Random(seed);
  const crew = new Crew(random.fork(1), CLIENTS);
  let whileStarting = 0;
  let found = 0;
  let absent = 0;
  try {
    for (let kill = 0; kill <= kills; kill++) {
      if (kill > 0 && kill < kills && random.once(10)) {
        await killWhileStarting(folder, random);
        whileStarting++;
        progress(kill);
        continue;
      }
      const life = await live(folder);
      const client = new HttpClient(life.url);
      try {
        const findings = await crew.check(client, kill === kills);
        found += findings.found;
        absent += findings.absent;
        if (kill < kills) await killWhileWriting(crew, client, random, () => life.end('SIGKILL'));
      } finally {
        client.close();
        await life.end(kill === kills ? 'SIGTERM' : 'SIGKILL');
      }
      progress(kill);
    }
    const records = await checkRecords(folder);
    return { kills, whileStarting, ...crew.tally, found, absent, records };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Half of the kills come at a random moment, half at once after an answer, where a promise made too early would show. */
async function killWhileWriting(
  crew: Crew,
  client: HttpClient,
  random: Random,
  kill: () => Promise<unknown>,
): Promise<void> {
  let killed: Promise<unknown> | undefined;
  const end = (): void => {
    killed ??= kill();
  };
  const millis = random.below(LONGEST_MILLIS);
  const onAnswer = random.once(2);
  let answers = 1 + random.below(MOST_ANSWERS);
  const timer = onAnswer ? undefined : setTimeout(end, millis);
  try {
    await crew.work(
      client,
      () => killed !== undefined,
      () => {
        answers--;
        if (onAnswer && answers === 0) end();
      },
    );
  } finally {
    clearTimeout(timer);
    end();
    await killed;
  }
}

const STARTING_MILLIS = 300;

async function killWhileStarting(folder: string, random: Random): Promise<void> {
  const { child, ended } = launch(folder);
  const timer = setTimeout(() => child.kill('SIGKILL'), random.below(STARTING_MILLIS));
  await ended;
  clearTimeout(timer);
}
