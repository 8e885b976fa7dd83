/** How the root key is kept: what seals it, and the record that says so. */
import { createSecretKey } from 'node:crypto';
import { badRequest, type ServiceError } from '../framework/errors.ts';
import type { Awaitable, Transaction } from '../storage/store.ts';
import { CorruptRecord } from './errors.ts';
import { SEAL } from './names.ts';
import { openRecord, type RecordKey, sealRecord, type TermKey } from './record.ts';

/**
 * What seals the 32-byte root key without asking anyone: a key file here, a cloud KMS, PKCS#11 or another server's
 * Transit behind the same three members. With Shamir the key that does it is put together from shares instead.
 */
export interface Seal {
  /** As `sys/seal-status` names it. */
  readonly type: string;
  wrap(rootKey: Buffer): Awaitable<Buffer>;
  /** Rejects where the device does not answer, or did not wrap this. The answer is the caller's to wipe. */
  unwrap(wrapped: Buffer): Awaitable<Buffer>;
}

/** The `type` of a server that opens by shares. */
export const SHAMIR = 'shamir';

/** The number of shares the key is split into, and how many of them put it together again. */
export interface ShareCount {
  readonly shares: number;
  readonly threshold: number;
}

/** The record `core/seal`: JSON, in clear but for the root key. */
export interface SealRecord extends ShareCount {
  readonly type: string;
  /** The root key, sealed by the unseal key (Shamir) or wrapped by the device. */
  readonly root: Buffer;
  /** There exactly where a device wraps the root key: sealed by the recovery key, so that recovery shares can be verified. */
  readonly check: Buffer | undefined;
}

/** 400 unless the counts make sense ("tokens-seal.test.mjs"); `field` is what the caller's parameters begin with. */
export function checkShareCount({ shares, threshold }: ShareCount, field: string): void {
  const refuse = (name: string, rule: string): ServiceError => badRequest(`${field}_${name}: ${rule}`);
  const counts = (n: number): boolean => Number.isInteger(n) && n >= 1 && n <= 255;
  if (!counts(shares)) throw refuse('shares', 'must be a whole number from 1 to 255');
  if (!counts(threshold)) throw refuse('threshold', 'must be a whole number from 1 to 255');
  if (threshold > shares) throw refuse('threshold', `must not be larger than ${field}_shares`);
  if (threshold === 1 && shares > 1) throw refuse('threshold', `must be at least 2 where ${field}_shares is above 1`);
}

/** A key outside the keyring that is kept. The caller wipes the bytes. */
export const loneKey = (key: Buffer): TermKey => ({ term: 0, key: createSecretKey(key) });

/** A key that is wiped after this use: a `KeyObject` would keep a copy until its garbage is collected. */
const passingKey = (key: Buffer): RecordKey => ({ term: 0, key });

/** Seals the root key, or the check value, by another key. */
export const wrapByKey = (key: Buffer, plain: Buffer): Buffer => sealRecord(passingKey(key), SEAL, plain);

/** Throws `CorruptRecord` where another key sealed it. */
export const unwrapByKey = (key: Buffer, wrapped: Buffer): Buffer => openRecord(passingKey(key), SEAL, wrapped);

const VERSION = 1;

/** Stores the record. */
export function writeSeal(tx: Transaction, { type, shares, threshold, root, check }: SealRecord): void {
  const text = {
    version: VERSION,
    type,
    shares,
    threshold,
    root: root.toString('base64'),
    check: check?.toString('base64'),
  };
  tx.put(SEAL, Buffer.from(JSON.stringify(text)));
}

/** The record, or undefined where the server was never initialized. Throws `CorruptRecord` where it is none. */
export async function readSeal(tx: Transaction): Promise<SealRecord | undefined> {
  const raw = await tx.get(SEAL);
  if (raw === undefined) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(raw.toString());
  } catch {
    throw new CorruptRecord(SEAL);
  }
  if (!isStored(parsed)) throw new CorruptRecord(SEAL);
  const { type, shares, threshold, root, check } = parsed;
  const sealed = check === undefined ? undefined : Buffer.from(check, 'base64');
  return { type, shares, threshold, root: Buffer.from(root, 'base64'), check: sealed };
}

interface Stored extends ShareCount {
  readonly version: number;
  readonly type: string;
  readonly root: string;
  readonly check?: string;
}

function isStored(value: unknown): value is Stored {
  if (typeof value !== 'object' || value === null) return false;
  if (!('version' in value && 'type' in value && 'shares' in value && 'threshold' in value && 'root' in value))
    return false;
  const { version, type, shares, threshold, root } = value;
  const check = 'check' in value ? value.check : undefined;
  return (
    version === VERSION &&
    typeof type === 'string' &&
    typeof shares === 'number' &&
    typeof threshold === 'number' &&
    typeof root === 'string' &&
    (type === SHAMIR ? check === undefined : typeof check === 'string')
  );
}
