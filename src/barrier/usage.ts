/**
 * How often a term seals. AES-GCM with random 96-bit nonces must not seal 2^32 times under one key (NIST SP 800-38D
 * §8.3); a term ends before 2^31 ("architecture §5"). Nodes count apart: each takes blocks of seals out of a stored
 * counter before it uses them, so the sum over all nodes is never passed, whoever dies when.
 */
import { unavailable } from '../framework/errors.ts';
import type { Transaction } from '../storage/store.ts';
import { CorruptRecord } from './errors.ts';
import { Keyring } from './keyring.ts';
import { KEYRING, USAGE } from './names.ts';
import type { Clock } from './pace.ts';
import { openRecord, sealRecord, type TermKey } from './record.ts';

/** Both in seals. */
export interface UsageLimits {
  /** Of one term, over all nodes. */
  readonly perTerm: number;
  /** That a node takes at a time; at most `perTerm`. */
  readonly block: number;
}

export const USAGE_LIMITS: UsageLimits = { perTerm: 2 ** 31, block: 2 ** 20 };

/** Seals that a node may use for the active term of this keyring. */
export interface Reservation {
  readonly keyring: Keyring;
  /** Raw record of the keyring. */
  readonly raw: Buffer;
  readonly seals: number;
}

const usageKey = (term: number): string => `${USAGE}${term}`;

/** Records how many seals of a term are given away. */
export function writeUsage(tx: Transaction, root: TermKey, term: number, seals: number): void {
  const key = usageKey(term);
  tx.put(key, sealRecord(root, key, String(seals)));
}

/** Seals of a term given away to nodes, used or not; undefined where the record is missing. */
export async function readUsage(tx: Transaction, root: TermKey, term: number): Promise<number | undefined> {
  const key = usageKey(term);
  const raw = await tx.get(key);
  if (raw === undefined) return undefined;
  const seals = Number(openRecord(root, key, raw).toString());
  if (!Number.isSafeInteger(seals)) throw new CorruptRecord(key);
  return seals;
}

/** The keyring as this snapshot has it, and its raw record. */
export async function readKeyring(tx: Transaction, root: TermKey): Promise<{ keyring: Keyring; raw: Buffer }> {
  const raw = await tx.get(KEYRING);
  if (raw === undefined) throw new CorruptRecord(KEYRING);
  return { keyring: Keyring.open(root, raw), raw };
}

/**
 * Takes one block. A new term begins with `fresh` (32 bytes, wiped by the caller) where `rotate` asks for it, where the
 * block would pass the limit, or where the counter is gone, as then nobody knows what was used.
 */
export async function reserve(
  tx: Transaction,
  root: TermKey,
  fresh: Buffer,
  limits: UsageLimits,
  rotate: boolean,
): Promise<Reservation> {
  const stored = await readKeyring(tx, root);
  const used = rotate ? undefined : await readUsage(tx, root, stored.keyring.active.term);
  if (used !== undefined && used + limits.block <= limits.perTerm) {
    writeUsage(tx, root, stored.keyring.active.term, used + limits.block);
    return { ...stored, seals: limits.block };
  }
  const keyring = stored.keyring.next(fresh, tx.now);
  const raw = keyring.seal(root);
  tx.put(KEYRING, raw);
  writeUsage(tx, root, keyring.active.term, limits.block);
  return { keyring, raw, seals: limits.block };
}

const RETRY_MILLISECONDS = 1_000;

/** This node's reserved seals. It asks for the next block when half of one is left, never on a request's path. */
export class SealBudget {
  #key: TermKey;
  #left: number;
  #refilling = false;
  #retryAt = Number.NEGATIVE_INFINITY;
  readonly #low: number;
  readonly #refill: () => Promise<unknown>;
  readonly #clock: Clock;

  /** `refill` ends in a call of `grant`; where it rejects it is asked again after a second. */
  constructor(first: Reservation, refill: () => Promise<unknown>, clock: Clock) {
    this.#clock = clock;
    this.#key = first.keyring.active;
    this.#left = first.seals;
    this.#low = first.seals / 2;
    this.#refill = refill;
  }

  get term(): number {
    return this.#key.term;
  }

  get left(): number {
    return this.#left;
  }

  /** The key for one seal. 503 where every reserved seal is used and no more could be had. */
  take(): TermKey {
    if (this.#left <= this.#low) this.refill();
    if (this.#left <= 0) throw unavailable('the server cannot write at the moment: no seals are reserved', 1);
    this.#left--;
    return this.#key;
  }

  /** Asks for a block in the background; at most one request at a time, after a failure one a second. */
  refill(): void {
    if (this.#refilling || this.#clock() < this.#retryAt) return;
    this.#refilling = true;
    this.#refill().then(
      () => {
        this.#refilling = false;
      },
      () => {
        this.#refilling = false;
        this.#retryAt = this.#clock() + RETRY_MILLISECONDS;
      },
    );
  }

  /** Adds a block of this term, or goes over to a newer one. */
  grant(reservation: Reservation): void {
    const { active } = reservation.keyring;
    if (active.term < this.#key.term) return;
    this.#left = active.term === this.#key.term ? this.#left + reservation.seals : reservation.seals;
    this.#key = active;
  }
}
