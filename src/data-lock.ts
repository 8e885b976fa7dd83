import { randomUUID } from 'node:crypto';
import { linkSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, systemCode } from './failure.ts';
import { isRunning, ownIdentity, type ProcessIdentity } from './process-identity.ts';

const PREFIX = 'keyhold.lock.';

/**
 * Takes the folder for this process, or throws a `Failure` that names the process that has it.
 *
 * The lock is the file `keyhold.lock.<n>` with the highest n. It is taken by linking a complete file to the next n, which
 * fails where another was quicker. A holder never removes its own file, and removes only files below it, so n never goes
 * down and a slow newcomer that still thinks of an old n finds a higher one behind its back. Locks of dead processes
 * need no clearing: they are simply followed.
 */
export function lockFolder(folder: string): { release(): void } {
  for (;;) {
    const latest = latestLock(folder);
    const holder = latest === 0 ? undefined : readHolder(join(folder, PREFIX + latest));
    if (holder !== undefined && isRunning(holder)) {
      throw new Failure(
        `the data folder ${folder} is in use by another server (process ${holder.pid}); stop it, or choose another --data`,
      );
    }
    const own = join(folder, PREFIX + (latest + 1));
    if (!linkNew(own)) continue;
    if (latestLock(folder) > latest + 1) {
      rmSync(own, { force: true });
      continue;
    }
    for (const number of lockNumbers(folder)) {
      if (number <= latest) rmSync(join(folder, PREFIX + number), { force: true });
    }
    // An empty lock is nobody's; this works on a full disk too.
    return { release: () => truncateSync(own) };
  }
}

function lockNumbers(folder: string): readonly number[] {
  return readdirSync(folder).flatMap((name) => {
    const digits = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : '';
    return /^[1-9][0-9]{0,14}$/.test(digits) ? [Number(digits)] : [];
  });
}

const latestLock = (folder: string): number => lockNumbers(folder).reduce((a, b) => Math.max(a, b), 0);

/** Creates the file whole or not at all. False where it is there already. */
function linkNew(path: string): boolean {
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, `${JSON.stringify(ownIdentity())}\n`, { mode: 0o600, flag: 'wx' });
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Undefined where the file is gone, was given back, or says nothing, as after a power cut. */
function readHolder(path: string): ProcessIdentity | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isIdentity(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== 'object' || value === null) return false;
  if (!('pid' in value && 'started' in value && 'boot' in value && 'namespace' in value)) return false;
  const { pid, started, boot, namespace } = value;
  return Number.isInteger(pid) && [started, boot, namespace].every((text) => typeof text === 'string');
}
