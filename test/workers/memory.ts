import { closeSync, openSync, readFileSync, readSync } from 'node:fs';

/** For tests: what lies in the memory of a process, as whoever may debug it sees it (proc_pid_mem(5)). */

const PIECE_BYTES = 4 * 1024 * 1024;

/** A secret in the forms in which it could lie about. Halves, since the allocator writes over the first bytes of what is freed. */
export function formsOf(name: string, secret: Buffer): ReadonlyMap<string, Buffer> {
  const base64 = secret.toString('base64');
  const hex = secret.toString('hex');
  return new Map([
    [`${name}, its first half`, secret.subarray(0, 16)],
    [`${name}, its second half`, secret.subarray(16, 32)],
    [`${name} in hex`, Buffer.from(hex.slice(0, 32))],
    [`${name} in hex, its second half`, Buffer.from(hex.slice(32, 64))],
    [`${name} in base64`, Buffer.from(base64.slice(0, 20))],
    [`${name} in base64, its second half`, Buffer.from(base64.slice(20, 40))],
  ]);
}

/** Whether this process may read the memory of that one. */
export function mayRead(pid: number): boolean {
  try {
    closeSync(openSync(`/proc/${pid}/mem`, 'r'));
    return true;
  } catch {
    return false;
  }
}

/** The names of those secrets that lie in the writable memory of a process. */
export function foundIn(pid: number, secrets: ReadonlyMap<string, Buffer>): readonly string[] {
  const found = new Set<string>();
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    for (const [start, end] of writable(pid)) {
      for (const bytes of pieces(memory, start, end, longest(secrets))) {
        for (const [name, secret] of secrets) if (bytes.includes(secret)) found.add(name);
      }
    }
  } finally {
    closeSync(memory);
  }
  return [...found].sort();
}

const longest = (secrets: ReadonlyMap<string, Buffer>): number =>
  Math.max(...[...secrets.values()].map(({ length }) => length));

/** Private writable mappings, from the first address to behind the last. */
const writable = (pid: number): readonly (readonly [number, number])[] =>
  readFileSync(`/proc/${pid}/maps`, 'latin1')
    .split('\n')
    .flatMap((line) => {
      const [, start = '', end = ''] = /^([0-9a-f]+)-([0-9a-f]+) rw.p /.exec(line) ?? [];
      return start === '' ? [] : [[Number.parseInt(start, 16), Number.parseInt(end, 16)] as const];
    });

/** The bytes of a mapping in pieces that overlap. What cannot be read is skipped. */
function* pieces(memory: number, start: number, end: number, overlap: number): Generator<Buffer> {
  const piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  for (let at = start; at < end; at += PIECE_BYTES - overlap) {
    try {
      yield piece.subarray(0, readSync(memory, piece, 0, Math.min(PIECE_BYTES, end - at), at));
    } catch {
      // Unmapped since, or a mapping that the kernel keeps for itself.
      return;
    }
  }
}
