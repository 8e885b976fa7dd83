import { createSecretKey, type KeyObject } from 'node:crypto';
import { CorruptRecord } from './errors.ts';
import { KEYRING } from './names.ts';
import { openRecord, sealRecord, type TermKey } from './record.ts';

/** One term: its key, and when it began, in milliseconds since 1970. */
export interface Term extends TermKey {
  readonly created: number;
}

/** Bytes of every key here: AES-256, and HMAC-SHA-256 under a key as long as its output. */
export const KEY_BYTES = 32;

const VERSION = 1;
const HEADER_BYTES = 1 + KEY_BYTES + 4;
const TERM_BYTES = 4 + 8 + KEY_BYTES;

/**
 * The keys of the barrier, immutable: terms counted from 1, the last one active, and a MAC key that never rotates.
 * Stored as one record sealed by the root key: version ‖ MAC key ‖ count uint32be ‖ (term uint32be ‖ created float64be ‖ key)*.
 */
export class Keyring {
  readonly mac: KeyObject;
  /** The term that new records are sealed under. */
  readonly active: Term;
  readonly #terms: ReadonlyMap<number, Term>;

  private constructor(mac: KeyObject, terms: ReadonlyMap<number, Term>, active: Term) {
    this.mac = mac;
    this.#terms = terms;
    this.active = active;
  }

  /** A keyring of term 1. The caller wipes the two 32-byte keys. */
  static first(key: Buffer, mac: Buffer, now: number): Keyring {
    const term = { term: 1, key: createSecretKey(key), created: now };
    return new Keyring(createSecretKey(mac), new Map([[1, term]]), term);
  }

  /** The keyring with one term more. The caller wipes the 32-byte key. */
  next(key: Buffer, now: number): Keyring {
    const term = { term: this.active.term + 1, key: createSecretKey(key), created: now };
    return new Keyring(this.mac, new Map(this.#terms).set(term.term, term), term);
  }

  get(term: number): Term | undefined {
    return this.#terms.get(term);
  }

  /** The raw record of `core/keyring`. */
  seal(root: TermKey): Buffer {
    const plain = Buffer.alloc(HEADER_BYTES + this.#terms.size * TERM_BYTES);
    plain[0] = VERSION;
    writeKey(plain, 1, this.mac);
    plain.writeUInt32BE(this.#terms.size, 1 + KEY_BYTES);
    let at = HEADER_BYTES;
    for (const { term, created, key } of this.#terms.values()) {
      plain.writeUInt32BE(term, at);
      plain.writeDoubleBE(created, at + 4);
      writeKey(plain, at + 12, key);
      at += TERM_BYTES;
    }
    const record = sealRecord(root, KEYRING, plain);
    plain.fill(0);
    return record;
  }

  /** Reads the raw record of `core/keyring`. Throws `CorruptRecord` where it does not open. */
  static open(root: TermKey, record: Buffer): Keyring {
    const plain = openRecord(root, KEYRING, record);
    const terms = new Map<number, Term>();
    const count = plain.length < HEADER_BYTES ? 0 : plain.readUInt32BE(1 + KEY_BYTES);
    if (plain[0] !== VERSION || plain.length !== HEADER_BYTES + count * TERM_BYTES) throw new CorruptRecord(KEYRING);
    for (let at = HEADER_BYTES; at < plain.length; at += TERM_BYTES) {
      const term = plain.readUInt32BE(at);
      const key = createSecretKey(plain.subarray(at + 12, at + TERM_BYTES));
      terms.set(term, { term, key, created: plain.readDoubleBE(at + 4) });
    }
    const mac = createSecretKey(plain.subarray(1, 1 + KEY_BYTES));
    plain.fill(0);
    const active = terms.get(count);
    if (active === undefined) throw new CorruptRecord(KEYRING);
    return new Keyring(mac, terms, active);
  }
}

function writeKey(plain: Buffer, at: number, key: KeyObject): void {
  const bytes = key.export();
  plain.set(bytes, at);
  bytes.fill(0);
}
