import type { SealedTransaction } from '../barrier/index.ts';
import { decodeRecord, encodeRecord } from '../framework/record.ts';
import { isLeaseNote, lastPart } from '../leases/record.ts';
import { dueId, dueTime } from '../tokens/due.ts';
import { apart } from './apart.ts';
import type { Claim } from './job.ts';
import type { JobService } from './jobs.ts';
import { settleLease } from './leases/settle.ts';
import { lookAtToken } from './look.ts';
import { LOOKS_PER_SECOND, Pace } from './pace.ts';
import { PutOff } from './put-off.ts';

/** Notes read at once; tokens looked at by one transaction, each of which may have 31 ancestors; leases looked at at once. */
const PAGE = 64;
const TOKENS = { size: 8 };
const LEASES = { size: 8 };

/** Who looks at a folder of notes at the moment: as with jobs it saves work and guards nothing. */
const claimKey = (folder: string): string => `core/sweep/${folder.slice(0, -1).replaceAll('/', '-')}`;

/**
 * Looks at the tokens and leases of one queue whose notes are due: removes those that have ended, with what they hold, and notes for the
 * others when to look again.
 */
export class Sweep {
  readonly #service: JobService;
  readonly #folders: readonly string[];
  readonly #claim: (now: number) => Claim;
  readonly #going: () => boolean;
  /** Notes that could not be followed: damaged, or of a damaged record. */
  readonly #putOff: PutOff;
  readonly #pace = new Pace(LOOKS_PER_SECOND);

  /**
   * @param folders the queue
   * @param claim made from the time of a transaction
   * @param clock monotonic milliseconds
   */
  constructor(
    service: JobService,
    folders: readonly string[],
    claim: (now: number) => Claim,
    going: () => boolean,
    clock: () => number,
  ) {
    this.#service = service;
    this.#folders = folders;
    this.#claim = claim;
    this.#going = going;
    this.#putOff = new PutOff(clock);
  }

  /** Goes on until nothing is due that others do not look at. */
  async run(): Promise<void> {
    while (this.#going()) {
      let looked = 0;
      for (const folder of await this.#dueFolders()) looked += await this.#sweep(folder);
      if (looked === 0) return;
    }
  }

  /** All are asked for in one trip. */
  #dueFolders(): Promise<readonly string[]> {
    return this.#service.barrier.transact(async (tx) => {
      const due = await Promise.all(this.#folders.map(async (folder) => dueNotes(tx, folder, '', 2)));
      return this.#folders.filter((_, i) => due[i]?.length !== 0);
    });
  }

  /** All that is due of a folder; the number of notes that were followed. */
  async #sweep(folder: string): Promise<number> {
    const { barrier } = this.#service;
    let looked = 0;
    for (let after = ''; this.#going(); ) {
      const start = after;
      const claim = await barrier.transact((tx) => this.#take(tx, folder));
      if (!claim) return looked;
      const notes = await barrier.transact((tx) => dueNotes(tx, folder, start, PAGE));
      looked += await this.#follow(notes.filter((note) => this.#putOff.isDue(note)));
      const last = notes.at(-1);
      if (last === undefined) return looked;
      after = lastPart(last);
    }
    return looked;
  }

  /** Claims a folder for some seconds; false where another has it. */
  async #take(tx: SealedTransaction, folder: string): Promise<boolean> {
    const mine = this.#claim(tx.now);
    const found = await tx.get(claimKey(folder));
    const held = found && decodeRecord<Claim>(found);
    if (held !== undefined && held.by !== mine.by && held.until > tx.now) return false;
    // Half of it is left: that is claim enough for a page.
    if (held?.by === mine.by && held.until - tx.now > (mine.until - tx.now) / 2) return true;
    tx.put(claimKey(folder), encodeRecord(mine));
    return true;
  }

  async #follow(notes: readonly string[]): Promise<number> {
    const { barrier, state } = this.#service;
    let failures = 0;
    const failed = (note: string, error: unknown): void => {
      if (!this.#going()) throw error;
      failures++;
      this.#service.log.error('a note of a token or lease that ended could not be followed', { note, error });
      this.#putOff.add(note);
    };
    const tokens = async (some: readonly string[]): Promise<void> => {
      await this.#pace.take(some.length);
      await barrier.transact(async (tx) => {
        const standing = await state.current(tx);
        for (const note of some) await lookAtToken(tx, standing, note);
      });
    };
    const leases = async (some: readonly string[]): Promise<void> => {
      await this.#pace.take(some.length);
      await Promise.all(some.map((note) => settleLease(this.#service, leaseOf(note), { note })));
    };
    await apart(
      notes.filter((note) => !isLeaseNote(dueId(note))),
      TOKENS,
      tokens,
      failed,
    );
    await apart(
      notes.filter((note) => isLeaseNote(dueId(note))),
      LEASES,
      leases,
      failed,
    );
    return notes.length - failures;
  }
}

/** The lease that a note is about, by the last part of its name: what the note says could be damaged, its name not. */
const leaseOf = (note: string): string => dueId(note).slice(dueId(note).indexOf('.') + 1);

/** The first notes of a folder behind a name that are due, as storage keys; of an earlier version's folder its own alone. */
async function dueNotes(
  tx: SealedTransaction,
  folder: string,
  after: string,
  limit: number,
): Promise<readonly string[]> {
  const names = await tx.list({ prefix: folder, after, limit });
  return names.map((name) => folder + name).filter((note) => !note.endsWith('/') && dueTime(note) <= tx.now);
}
