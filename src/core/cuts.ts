import type { SealedTransaction } from '../barrier/index.ts';
import { unavailable } from '../framework/errors.ts';
import { decodeRecord, encodeRecord } from '../framework/record.ts';
import type { Origin } from '../tokens/token.ts';
import { type LeaseDefaults, type MountEntry, MountTable } from './mount-table.ts';
import { changeRevision } from './revision.ts';
import { uuidOf } from './uuid.ts';

/**
 * The end of all tokens and leases below a path, however many: nothing that was given out there until `at` counts any more,
 * from this transaction on and on every node. It stands here until a stored job has removed them.
 */
export interface Cut {
  readonly id: string;
  /** Uuid of the mount that gave them out. */
  readonly mount: string;
  /** Within the mount; ends in `/`, or is empty for all. */
  readonly prefix: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Whether what an engine fails to take back is forgotten. */
  readonly force: boolean;
  /** The mount where it has ended itself: its engine is still to take back what it gave out. */
  readonly ended?: MountEntry;
}

const CUTS = 'core/cuts';

/** All cuts are one record that each node compiles at each change, so it is bounded. */
const MAX_CUTS = 1_000;

/** The cuts of one revision: nearly always none. */
export class Cuts {
  readonly all: readonly Cut[];
  /** The mounts that have ended while leases of theirs are still to be taken back. */
  readonly ended: MountTable;
  readonly #ofMount = new Map<string, Cut[]>();

  constructor(all: readonly Cut[], defaults: LeaseDefaults) {
    this.all = all;
    this.ended = new MountTable(
      all.flatMap(({ ended }) => ended ?? []),
      defaults,
    );
    for (const cut of all) {
      const some = this.#ofMount.get(cut.mount);
      if (some === undefined) this.#ofMount.set(cut.mount, [cut]);
      else some.push(cut);
    }
  }

  /** Whether what was given out there at that time, milliseconds since 1970, has ended. */
  ends({ mount, path }: Origin, created: number): boolean {
    const cuts = this.#ofMount.get(mount);
    return cuts?.some((cut) => cut.at >= created && covers(cut, path)) === true;
  }

  /** The time to give out at: now, or just after all that has ended there by now. Milliseconds since 1970. */
  issueTime({ mount, path }: Origin, now: number): number {
    let time = now;
    for (const cut of this.#ofMount.get(mount) ?? []) if (covers(cut, path)) time = Math.max(time, cut.at + 1);
    return time;
  }
}

/** What lies below a prefix: `login/` holds `login/ada`, and what `login` itself gave out. */
const covers = ({ prefix }: Cut, path: string): boolean => `${path}/`.startsWith(prefix);

/** What is stored of cuts. */
interface CutsRecord {
  readonly all: readonly Cut[];
  /** The time of the latest cut there ever was: what was given out just after it is dated behind it. */
  readonly last: number;
}

const NO_CUTS: CutsRecord = { all: [], last: 0 };

export const decodeCuts = (record: Buffer | undefined): CutsRecord =>
  record === undefined ? NO_CUTS : decodeRecord<CutsRecord>(record);

/** Where the cuts are stored: read with the mounts, when the revision has changed. */
export const cutsKey = CUTS;

const readCuts = async (tx: SealedTransaction): Promise<CutsRecord> => decodeCuts(await tx.get(CUTS));

/** Ends what lies below a path; answers the cut, which a job is to remove. 503 where too many are under way. */
export async function addCut(tx: SealedTransaction, given: Omit<Cut, 'id' | 'at'>): Promise<Cut> {
  const { all, last } = await readCuts(tx);
  if (all.length >= MAX_CUTS) throw unavailable('too many revocations are under way: try again', 5);
  // Later than all that was given out after an earlier cut of this very millisecond.
  const at = Math.max(tx.now, last + 1);
  const cut: Cut = { ...given, id: uuidOf(tx.random(16)), at };
  writeCuts(tx, { all: [...all, cut], last: at });
  return cut;
}

/** Replaces a cut, or removes it where `changed` is undefined. */
export async function changeCut(tx: SealedTransaction, id: string, changed: Cut | undefined): Promise<void> {
  const { all, last } = await readCuts(tx);
  writeCuts(tx, { all: all.flatMap((cut) => (cut.id === id ? (changed ?? []) : cut)), last });
}

function writeCuts(tx: SealedTransaction, cuts: CutsRecord): void {
  tx.put(CUTS, encodeRecord(cuts));
  changeRevision(tx);
}
