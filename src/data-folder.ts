import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lockFolder } from './data-lock.ts';
import { Failure, reasonOf, systemCode } from './failure.ts';

/** Where a server keeps its data. */
export interface StoreFolder {
  readonly path: string;
  /** Makes the folder of an embedded store where it is missing; its path. */
  makeStore(): string;
}

/** The data folder of a server, of whose processes another one holds it. */
export const storeFolder = (path: string): StoreFolder => ({ path, makeStore: () => makeStore(path) });

/** A data folder that this process holds. */
export interface DataFolder extends StoreFolder {
  /** What the operator should know about the folder, if anything. */
  readonly warning: string | undefined;
  /** Lets another server, also one in this process, have the folder. */
  release(): void;
}

/** What a start needs on the disk: the store maps files into memory, and a hole that cannot be filled kills the process. */
const NEEDED_BYTES = 1024 * 1024;

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/**
 * Makes the folder where it is missing (mode 0700), checks who may enter it, and locks it. A `Failure` where that is
 * impossible, says why; nothing in the folder has been changed then.
 */
export function openDataFolder(path: string): DataFolder {
  try {
    makeFolder(path);
    const warning = checkAccess(path);
    probeSpace(path);
    const lock = lockFolder(path);
    return { ...storeFolder(path), warning, release: () => lock.release() };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(`the data folder ${path} cannot be used: ${reasonOf(error)}`);
  }
}

/** Not by `recursive`, which never ends where the system answers ENOENT under a folder that is there, as /proc does. */
function makeFolder(path: string): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
  }
}

function makeStore(path: string): string {
  const store = join(path, 'store');
  makeFolder(store);
  return store;
}

function probeSpace(path: string): void {
  const probe = join(path, `keyhold.probe.${randomUUID()}`);
  try {
    writeFileSync(probe, Buffer.alloc(NEEDED_BYTES, 1), { mode: 0o600, flag: 'wx', flush: true });
  } finally {
    rmSync(probe, { force: true });
  }
}

function checkAccess(path: string): string | undefined {
  const { mode, uid } = statSync(path);
  const user = process.geteuid?.();
  if ((mode & OTHERS) === 0 || user === undefined) return undefined;
  // An empty folder of ours is being put to its use; one with something in it may serve others as well.
  if (uid === user && readdirSync(path).length === 0) {
    chmodSync(path, 0o700);
    return undefined;
  }
  if ((mode & OTHERS_WRITE) !== 0) {
    throw new Failure(`the data folder ${path} can be changed by other users of this machine: chmod 700 it`);
  }
  return `the data folder ${path} can be listed by other users of this machine: chmod 700 it`;
}
