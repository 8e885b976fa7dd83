import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, reasonOf, systemCode } from './failure.ts';

/** Bytes from the start of a meta page of LMDB's data format 2, all little-endian; sizes in bytes, pages by number. */
const META = { magic: 24, version: 28, pageSize: 48, freeRoot: 88, mainRoot: 136, transaction: 152, end: 160 } as const;
const MAGIC = 0xbeefc0de;
const VERSION = 2;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;

const RESTORE = 'restore it from a backup';

/**
 * Throws a `Failure` where the store's file is none, is of another version of LMDB, or was cut: mapping it into memory
 * would end the process without a word. A file that is missing or empty is a store to be made. Other damage is found
 * when the records are opened.
 */
export function checkStoreFile(folder: string): void {
  const path = join(folder, 'data.mdb');
  const fault = faultOf(path);
  if (fault !== undefined) throw new Failure(`the store's file ${path} ${fault}`);
}

function faultOf(path: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? undefined : `cannot be read: ${reasonOf(error)}`;
  }
  try {
    return faultIn(descriptor, fstatSync(descriptor).size);
  } finally {
    closeSync(descriptor);
  }
}

function faultIn(descriptor: number, size: number): string | undefined {
  if (size === 0) return undefined;
  const first = metaAt(descriptor, 0);
  if (first === undefined || first.readUInt32LE(META.magic) !== MAGIC)
    return `is not a store, or is damaged; ${RESTORE}`;
  if (first.readUInt32LE(META.version) !== VERSION) return 'is of another version of the store';
  const pageSize = first.readUInt32LE(META.pageSize);
  const second = metaAt(descriptor, pageSize);
  if (second === undefined || second.readUInt32LE(META.magic) !== MAGIC) return `is cut short or damaged; ${RESTORE}`;
  const latest = transactionOf(first) > transactionOf(second) ? first : second;
  const roots = [META.freeRoot, META.mainRoot].map((offset) => latest.readBigUInt64LE(offset));
  const cut = roots.some((root) => root !== NO_PAGE && (root + 1n) * BigInt(pageSize) > BigInt(size));
  return cut ? `is cut short; ${RESTORE}` : undefined;
}

const transactionOf = (meta: Buffer): bigint => meta.readBigUInt64LE(META.transaction);

function metaAt(descriptor: number, position: number): Buffer | undefined {
  const bytes = Buffer.alloc(META.end);
  return readSync(descriptor, bytes, 0, META.end, position) === META.end ? bytes : undefined;
}
