import { type FileHandle, open } from 'node:fs/promises';
import { KEY_BYTES } from './keyring.ts';
import { type Seal, unwrapByKey, wrapByKey } from './seal.ts';

/** A text form is at most 64 digits and a line end; more is no key. */
const MAX_FILE_BYTES = 128;

/**
 * A seal that opens by itself with a key from a file: 32 raw bytes, or 64 hex digits or base64 of them with at most one
 * line end. The file is read at each use and its key not kept. Rejects where others than its owner may read or write it,
 * or where its owner is neither this process's user nor root.
 */
export function keyFileSeal(path: string): Seal {
  return {
    type: 'keyfile',
    wrap: (rootKey) => withKey(path, (key) => wrapByKey(key, rootKey)),
    unwrap: (wrapped) => withKey(path, (key) => unwrapByKey(key, wrapped)),
  };
}

async function withKey<T>(path: string, use: (key: Buffer) => T): Promise<T> {
  const file = await open(path, 'r');
  try {
    const key = parseKey(await readOwned(file, path), path);
    try {
      return use(key);
    } finally {
      key.fill(0);
    }
  } finally {
    await file.close();
  }
}

/** Checks the file that is open, not the name: the name may point elsewhere by now. */
async function readOwned(file: FileHandle, path: string): Promise<Buffer> {
  const stat = await file.stat();
  if (!stat.isFile()) throw new Error(`the key file ${path} is not a regular file`);
  if ((stat.mode & 0o077) !== 0) throw new Error(`the key file ${path} is open to others than its owner: chmod 600 it`);
  const user = process.geteuid?.();
  if (user !== undefined && stat.uid !== user && stat.uid !== 0) {
    throw new Error(`the key file ${path} belongs to another user: chown it to the server's user`);
  }
  if (stat.size > MAX_FILE_BYTES) throw new Error(`the key file ${path} is too long: ${FORMS}`);
  const bytes = Buffer.alloc(MAX_FILE_BYTES);
  const { bytesRead } = await file.read(bytes, 0, MAX_FILE_BYTES, 0);
  return bytes.subarray(0, bytesRead);
}

const FORMS = 'it must hold 32 raw bytes, or 64 hex digits or base64 of them';

/** The 32 bytes in one of the three forms. */
export function parseKey(content: Buffer, path: string): Buffer {
  if (content.length === KEY_BYTES) return content;
  const text = content.toString('latin1').replace(/\r?\n$/, '');
  content.fill(0);
  const encoding = text.length === KEY_BYTES * 2 ? 'hex' : 'base64';
  const key = Buffer.from(text, encoding);
  const spelling = encoding === 'hex' ? text.toLowerCase() : text;
  if (key.length !== KEY_BYTES || key.toString(encoding) !== spelling) {
    key.fill(0);
    throw new Error(`the key file ${path} holds no key: ${FORMS}`);
  }
  return key;
}
