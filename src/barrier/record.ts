/**
 * A sealed record: version byte 1 ‖ term uint32be ‖ nonce 12 ‖ ciphertext ‖ tag 16, AES-256-GCM (NIST SP 800-38D) with
 * the UTF-8 bytes of the storage key as associated data, so a record that is moved or altered does not open.
 */
import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from 'node:crypto';
import { CorruptRecord } from './errors.ts';

/** A 32-byte key and the number a record names it by; 0 is the number of keys outside the keyring. */
export interface RecordKey {
  readonly term: number;
  readonly key: KeyObject | Buffer;
}

/** One that is kept. */
export interface TermKey extends RecordKey {
  readonly key: KeyObject;
}

const VERSION = 1;
const NONCE_AT = 5;
const NONCE_BYTES = 12;
const TEXT_AT = NONCE_AT + NONCE_BYTES;
const TAG_BYTES = 16;
const GCM = { authTagLength: TAG_BYTES } as const;

/** Bytes that a record is longer than its plaintext. */
export const RECORD_OVERHEAD = TEXT_AT + TAG_BYTES;

// One call for many nonces: a call of its own for each costs more than the cipher.
const pool = Buffer.allocUnsafeSlow(NONCE_BYTES * 512);
let unused = pool.length;

function nextNonce(): Buffer {
  if (unused === pool.length) {
    randomFillSync(pool);
    unused = 0;
  }
  const nonce = pool.subarray(unused, unused + NONCE_BYTES);
  unused += NONCE_BYTES;
  return nonce;
}

/** Seals `plain` (a string as UTF-8) for one storage key. Each call uses up one of the 2^31 seals of its term. */
export function sealRecord(key: RecordKey, storageKey: string, plain: Buffer | string): Buffer {
  const nonce = nextNonce();
  const cipher = createCipheriv('aes-256-gcm', key.key, nonce, GCM);
  cipher.setAAD(Buffer.from(storageKey));
  const text = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
  cipher.final();
  const record = Buffer.allocUnsafe(RECORD_OVERHEAD + text.length);
  record[0] = VERSION;
  record.writeUInt32BE(key.term, 1);
  record.set(nonce, NONCE_AT);
  record.set(text, TEXT_AT);
  record.set(cipher.getAuthTag(), TEXT_AT + text.length);
  return record;
}

/** The term that a record names; undefined where the bytes are no record. */
export const termOf = (record: Buffer): number | undefined =>
  record.length < RECORD_OVERHEAD || record[0] !== VERSION ? undefined : record.readUInt32BE(1);

/** The plaintext, in bytes of its own. Throws `CorruptRecord` where one bit of record, storage key or key is another. */
export function openRecord(key: RecordKey, storageKey: string, record: Buffer): Buffer {
  if (termOf(record) !== key.term) throw new CorruptRecord(storageKey);
  const tagAt = record.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key.key, record.subarray(NONCE_AT, TEXT_AT), GCM);
  decipher.setAAD(Buffer.from(storageKey));
  decipher.setAuthTag(record.subarray(tagAt));
  const plain = decipher.update(record.subarray(TEXT_AT, tagAt));
  try {
    decipher.final();
  } catch {
    plain.fill(0);
    throw new CorruptRecord(storageKey);
  }
  return plain;
}
