import type { Snapshot } from '../backend.ts';
import type { Entry, Listing, Range } from '../store.ts';
import type { DatabaseClock } from './clock.ts';
import type { Statement } from './connections.ts';
import type { Held, Holds } from './holds.ts';
import type { Reads } from './reads.ts';
import { type Answer, entriesOf, getStatement, listStatement, namesOf, rangeStatement } from './statements.ts';
import type { Versions } from './versions.ts';

/** What the snapshots of one store share. */
export interface Source {
  readonly schema: string;
  readonly clock: DatabaseClock;
  readonly reads: Reads;
  readonly holds: Holds;
  readonly versions: Versions;
  ask(statement: Statement): Promise<Answer>;
}

/** Records whose versions are asked for again with the next trip; who has read more is validated at its end. */
const MAX_CHECKS = 100;

/**
 * The reads of one transaction. Each trip is one statement, of one moment. A later trip brings along the versions of
 * what was read before: as long as they are the same, all of it is also of the later moment. Where they are not, or
 * cannot tell, the snapshot is mixed.
 */
export class PostgresSnapshot implements Snapshot {
  readonly #source: Source;
  /** Versions of the records read, all of them as of `#moment` unless the snapshot is mixed. */
  readonly #known = new Map<string, number>();
  #moment: object | undefined;
  /** A range or listing was read, which has no version to ask for. */
  #unversioned = false;
  #mixed = false;
  #now: number | undefined;
  #users = 1;
  #held: Promise<Held> | undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  get now(): number {
    this.#now ??= this.#source.clock.now();
    return this.#now;
  }

  async get(key: string): Promise<Buffer | undefined> {
    return (await this.getMany([key]))[0];
  }

  async getMany(keys: readonly string[]): Promise<readonly (Buffer | undefined)[]> {
    if (keys.length === 0) return [];
    const checks = this.#checks();
    const { moment, records, versions } =
      this.#held === undefined
        ? await this.#source.reads.get(keys, checks)
        : await this.#getHeld(await this.#held, keys);
    this.#arrived(moment, checks, (i) => versions[i]);
    return keys.map((key, i) => this.#keep(key, records[i]));
  }

  async range(range: Range): Promise<readonly Entry[]> {
    const entries = entriesOf(await this.#ask((checks) => rangeStatement(this.#source.schema, range, checks)));
    this.#unversioned = true;
    for (const { value, version } of entries) this.#source.versions.set(value, version);
    return entries;
  }

  async list(listing: Listing): Promise<readonly string[]> {
    const answer = await this.#ask((checks) => listStatement(this.#source.schema, listing, checks));
    this.#unversioned = true;
    return namesOf(answer);
  }

  /** Where it was retained, only once what is held can no longer change. */
  async mixed(): Promise<boolean> {
    await this.#held;
    return this.#mixed;
  }

  retain(): void {
    this.#users += 1;
    if (this.#held !== undefined) return;
    const checks = this.#checks();
    this.#held = this.#source.holds.open(getStatement(this.#source.schema, [], checks)).then((held) => {
      this.#arrived(held, checks, (i) => held.opening.versions.get(i) ?? 0);
      return held;
    });
    // Whoever reads or asks whether it is mixed is told; where nobody does, nothing was lost.
    this.#held.catch(() => {});
  }

  release(): void {
    this.#users -= 1;
    if (this.#users === 0) void this.#held?.then((held) => held.close()).catch(() => {});
  }

  #checks(): readonly string[] {
    return this.#held === undefined && this.#known.size <= MAX_CHECKS ? [...this.#known.keys()] : [];
  }

  async #ask(make: (checks: readonly string[]) => Statement): Promise<Answer> {
    const checks = this.#checks();
    if (this.#held !== undefined) {
      const held = await this.#held;
      return held.ask(make([]));
    }
    const answer = await this.#source.ask(make(checks));
    this.#arrived(answer, checks, (i) => answer.versions.get(i) ?? 0);
    return answer;
  }

  async #getHeld(held: Held, keys: readonly string[]) {
    const { found } = await held.ask(getStatement(this.#source.schema, keys, []));
    return { moment: held, records: keys.map((_, i) => found.get(i)?.record), versions: [] };
  }

  /** An answer of another moment is one with the earlier ones if all of these have been checked and are the same. */
  #arrived(moment: object, checks: readonly string[], version: (place: number) => number | undefined): void {
    if (this.#moment === undefined || this.#moment === moment) {
      this.#moment = moment;
      return;
    }
    const same =
      !this.#unversioned &&
      checks.length === this.#known.size &&
      checks.every((key, i) => this.#known.get(key) === version(i));
    if (same) this.#moment = moment;
    else this.#mixed = true;
  }

  #keep(key: string, record: { readonly value: Buffer; readonly version: number } | undefined): Buffer | undefined {
    const known = this.#known.get(key);
    const version = record?.version ?? 0;
    if (known !== undefined && known !== version) this.#mixed = true;
    this.#known.set(key, version);
    if (record !== undefined) this.#source.versions.set(record.value, version);
    return record?.value;
  }
}
