/** The exit codes of the command; `status` has those of its own family besides. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;

/** What ends the command: one sentence for the operator, who can mend it. Anything else that is thrown is our fault. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(sentence: string, exitCode: number = EXIT.failed) {
    super(sentence);
    this.name = 'Failure';
    this.exitCode = exitCode;
  }
}

/** A wrong flag, variable or setting: exit code 2. The sentence names where it came from. */
export const usageFailure = (sentence: string): Failure => new Failure(sentence, EXIT.usage);

/** The code of a system error such as `ENOSPC`, or undefined where it is none. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** What the operating system's error codes mean to whoever reads the sentence. */
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['ENOENT', 'there is no such file'],
  ['ENOTDIR', 'a part of the path is not a folder'],
  ['EISDIR', 'it is a folder, not a file'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EMFILE', 'too many open files: raise the limit of the process (ulimit -n)'],
  ['EIO', 'the disk reports an error'],
  ['EADDRINUSE', 'the address is in use: another server runs there'],
  ['EADDRNOTAVAIL', 'the address is not one of this machine'],
  ['ENOTFOUND', 'the name has no address'],
  ['EAI_AGAIN', 'the name could not be looked up'],
  ['ECONNREFUSED', 'nothing listens there'],
  ['ECONNRESET', 'the connection was cut'],
  ['ETIMEDOUT', 'no answer in time'],
  ['EHOSTUNREACH', 'the host cannot be reached'],
  ['ENETUNREACH', 'the network cannot be reached'],
]);

/** Why the system refused, in words; the code itself where there are none for it. */
export function reasonOf(error: unknown): string {
  const code = systemCode(error);
  if (code !== undefined) return MEANINGS.get(code) ?? code;
  return error instanceof Error ? error.message : String(error);
}
