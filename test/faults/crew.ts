import type { Client } from './client.ts';
import type { Random } from './random.ts';
import { CountedUses } from './subjects/counted.ts';
import { crowd } from './subjects/crowd.ts';
import { mount } from './subjects/mount.ts';
import { policy } from './subjects/policy.ts';
import { CasRace } from './subjects/race.ts';
import { secret } from './subjects/secret.ts';
import { families } from './subjects/tokens.ts';
import { upgrade } from './subjects/upgrade.ts';
import { WrappedOnce } from './subjects/wrapped.ts';
import { type Findings, Tracked, Violation, type Witness } from './witness.ts';

/** One client at work: the things it changes, and whether others change them too. */
interface Worker {
  readonly witnesses: readonly Witness[];
  readonly random: Random;
}

/** Requests that were answered, and those refused with 503. */
export interface Tally {
  acknowledged: number;
  refused: number;
}

/** Several clients that change things at once, some of them the same things. */
export class Crew {
  readonly tally: Tally = { acknowledged: 0, refused: 0 };
  readonly #workers: readonly Worker[];
  readonly #witnesses: readonly Witness[];

  constructor(random: Random, clients: number) {
    const shared: readonly Witness[] = [new CountedUses('counted'), new CasRace('race'), new WrappedOnce('wrapped')];
    this.#workers = Array.from({ length: clients }, (_, i) => ({
      witnesses: i % 4 === 3 ? shared : own(i),
      random: random.fork(i),
    }));
    this.#witnesses = [...new Set(this.#workers.flatMap(({ witnesses }) => witnesses))];
  }

  /**
   * Works until `stopped` says so or the server is gone. Rejects with the first `Violation`.
   * @param acknowledged told of each answer
   */
  async work(client: Client, stopped: () => boolean, acknowledged: () => void = () => {}): Promise<void> {
    await Promise.all(this.#workers.map((worker) => this.#run(worker, client, stopped, acknowledged)));
  }

  async #run({ witnesses, random }: Worker, client: Client, stopped: () => boolean, acknowledged: () => void) {
    while (!stopped()) {
      try {
        if (await random.pick(witnesses).step(client, random)) {
          this.tally.acknowledged++;
          acknowledged();
        } else this.tally.refused++;
      } catch (error) {
        if (error instanceof Violation) throw error;
        return;
      }
    }
  }

  /** Compares everything with what is stored. */
  async check(client: Client, whole: boolean): Promise<Findings> {
    const findings = await Promise.all(this.#witnesses.map((witness) => witness.check(client, whole)));
    const sum = (of: (one: Findings) => number): number => findings.reduce((total, one) => total + of(one), 0);
    return { found: sum((one) => one.found), absent: sum((one) => one.absent) };
  }
}

const own = (i: number): readonly Witness[] => [
  new Tracked(secret(`of/${i}/a`)),
  new Tracked(secret(`of/${i}/a/b`)),
  new Tracked(policy(`of-${i}`)),
  new Tracked(families(`of-${i}`)),
  new Tracked(crowd(`crowd-${i}`)),
  new Tracked(mount(`of-${i}`)),
  new Tracked(upgrade(`up-${i}`)),
];
