import { readFileSync, readlinkSync } from 'node:fs';

/** Names one process among all that ever ran on a machine: process numbers are used again, after a restart too. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks from the machine's start to the process's (proc_pid_stat(5), field 22); '' where unknown. */
  readonly started: string;
  /** The machine's boot id; '' where unknown. */
  readonly boot: string;
  /** The namespace of the process number, since containers count for themselves; '' where unknown. */
  readonly namespace: string;
}

/** This process. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, started: ticksOf(process.pid).started, boot: bootId(), namespace: pidNamespace() };
}

/**
 * Whether that very process runs now, as far as can be seen from here. One of another boot does not; of one in another
 * container nothing can be seen, and it counts as gone, or no container could ever follow a killed one.
 */
export function isRunning(identity: ProcessIdentity): boolean {
  if (identity.boot !== bootId() || identity.namespace !== pidNamespace()) return false;
  const { started, state } = ticksOf(identity.pid);
  // A zombie holds nothing any more.
  if (started !== '') return started === identity.started && state !== 'Z' && state !== 'X';
  return identity.started === '' && answersSignals(identity.pid);
}

/** Whether a process is stopped, by a signal or a debugger (proc_pid_stat(5), field 3); false where nothing can be seen. */
export const isStopped = (pid: number): boolean => /^[Tt]$/.test(ticksOf(pid).state);

const bootId = (): string => contentOf('/proc/sys/kernel/random/boot_id').trim();

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** State and start of a process; the fields behind the name, which may itself hold blanks and parentheses. */
function ticksOf(pid: number): { started: string; state: string } {
  const stat = contentOf(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', started: fields[19] ?? '' };
}

/** For systems without /proc. */
function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** '' where it cannot be read. */
function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
