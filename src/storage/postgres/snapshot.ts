import type { Snapshot } from '../backend.ts';
import { type Awaitable, type Entry, type Listing, MAX_PREFETCH, type Range } from '../store.ts';
import type { DatabaseClock } from './clock.ts';
import type { Statement } from './connections.ts';
import type { Held, Holds } from './holds.ts';
import type { Reads } from './reads.ts';
import {
  type Answer,
  entriesOf,
  getStatement,
  listStatement,
  namesOf,
  rangeStatement,
  type Target,
  type Versioned,
} from './statements.ts';
import type { Versions } from './versions.ts';

/** What the snapshots of one store share. */
export interface Source {
  readonly target: Target;
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
 *
 * What a trip brought along unasked is answered without another one as long as it is of that same moment. Until then
 * nobody has read it: where it has changed by a later trip it is forgotten, and mixes nothing.
 */
export class PostgresSnapshot implements Snapshot {
  readonly #source: Source;
  /** Versions of the records read, all of them as of `#moment` unless the snapshot is mixed. */
  readonly #known = new Map<string, number>();
  /** Keys to bring along with the next trip. */
  readonly #hints = new Set<string>();
  #hinted = 0;
  /** What came along and was not asked for yet, as of the last trip; undefined where the record is missing. */
  readonly #ahead = new Map<string, Versioned | undefined>();
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

  prefetch(keys: readonly string[]): void {
    if (this.#held !== undefined) return;
    for (const key of keys) {
      if (this.#hinted === MAX_PREFETCH) break;
      if (this.#ahead.has(key) || this.#hints.has(key)) continue;
      this.#hints.add(key);
      this.#hinted += 1;
    }
  }

  get(key: string): Awaitable<Buffer | undefined> {
    return this.#ahead.has(key) ? this.#keep(key, this.#ahead.get(key)) : this.#fetch([key]).then(([value]) => value);
  }

  getMany(keys: readonly string[]): Awaitable<readonly (Buffer | undefined)[]> {
    return keys.every((key) => this.#ahead.has(key))
      ? keys.map((key) => this.#ahead.get(key)).map((record, i) => this.#keep(keys[i] ?? '', record))
      : this.#fetch(keys);
  }

  async range(range: Range): Promise<readonly Entry[]> {
    const entries = entriesOf(await this.#ask((checks) => rangeStatement(this.#source.target, range, checks)));
    for (const { value, version } of entries) this.#source.versions.set(value, version);
    return entries;
  }

  async list(listing: Listing): Promise<readonly string[]> {
    return namesOf(await this.#ask((checks) => listStatement(this.#source.target, listing, checks)));
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
    this.#held = this.#source.holds.open(getStatement(this.#source.target, [], checks)).then((held) => {
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

  /** One trip. Prefetched records of the same keys are asked for again, so that all answers are of its moment. */
  async #fetch(keys: readonly string[]): Promise<readonly (Buffer | undefined)[]> {
    const checks = this.#checks();
    for (const key of keys) this.#hints.delete(key);
    const along = [...this.#hints];
    this.#hints.clear();
    const { moment, records, versions } =
      this.#held === undefined
        ? await this.#source.reads.get([...keys, ...along], checks)
        : await this.#getHeld(await this.#held, keys);
    this.#arrived(moment, checks, (i) => versions[i]);
    if (this.#held === undefined) {
      along.forEach((key, i) => {
        if (!this.#known.has(key)) this.#ahead.set(key, records[keys.length + i]);
      });
    }
    return keys.map((key, i) => this.#keep(key, records[i]));
  }

  #checks(): readonly string[] {
    if (this.#held !== undefined || this.#known.size > MAX_CHECKS) return [];
    return [...this.#known.keys(), ...this.#ahead.keys()].slice(0, MAX_CHECKS);
  }

  /** A range or listing. */
  async #ask(make: (checks: readonly string[]) => Statement): Promise<Answer> {
    const checks = this.#checks();
    if (this.#held !== undefined) {
      const held = await this.#held;
      return held.ask(make([]));
    }
    const answer = await this.#source.ask(make(checks));
    this.#arrived(answer, checks, (i) => answer.versions.get(i) ?? 0);
    this.#unversioned = true;
    return answer;
  }

  async #getHeld(held: Held, keys: readonly string[]) {
    const { found } = await held.ask(getStatement(this.#source.target, keys, []));
    return { moment: held, records: keys.map((_, i) => found.get(i)?.record), versions: [] };
  }

  /** An answer of another moment is one with the earlier ones if all of these have been checked and are the same. */
  #arrived(moment: object, checks: readonly string[], version: (place: number) => number | undefined): void {
    if (this.#moment === undefined || this.#moment === moment) {
      this.#moment = moment;
      return;
    }
    const now = new Map(checks.map((key, i) => [key, version(i)]));
    for (const [key, record] of this.#ahead) {
      if (now.get(key) !== (record?.version ?? 0)) this.#ahead.delete(key);
    }
    const same = !this.#unversioned && [...this.#known].every(([key, known]) => now.get(key) === known);
    if (same) this.#moment = moment;
    else this.#mixed = true;
  }

  /** What is asked for has been read from now on. */
  #keep(key: string, record: Versioned | undefined): Buffer | undefined {
    this.#ahead.delete(key);
    const known = this.#known.get(key);
    const version = record?.version ?? 0;
    if (known !== undefined && known !== version) this.#mixed = true;
    this.#known.set(key, version);
    if (record !== undefined) this.#source.versions.set(record.value, version);
    return record?.value;
  }
}
