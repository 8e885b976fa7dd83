import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { setImmediate as others } from 'node:timers/promises';

/** For tests: what lies in the memory of a process, as whoever may debug it sees it (proc_pid_mem(5)). */

const PAGE_BYTES = 4096;
const PIECE_PAGES = 1024;

/**
 * A secret of 32 bytes or more in the forms in which it could lie about. Not from its beginning: the allocator writes over the
 * first bytes of what is freed, and nothing wipes the rest.
 */
export const formsOf = (name: string, secret: Buffer): ReadonlyMap<string, Buffer> =>
  new Map([
    [name, secret.subarray(16, 32)],
    [`${name} in hex`, Buffer.from(secret.toString('hex').slice(32, 64))],
    [`${name} in base64`, Buffer.from(secret.toString('base64').slice(20, 40))],
  ]);

/** Whether this process may read the memory of that one. */
export function mayRead(pid: number): boolean {
  try {
    for (const file of ['mem', 'pagemap']) closeSync(openSync(`/proc/${pid}/${file}`, 'r'));
    return true;
  } catch {
    return false;
  }
}

/** The names of those secrets that lie in the writable memory of a process. */
export async function foundIn(pid: number, secrets: ReadonlyMap<string, Buffer>): Promise<readonly string[]> {
  const found = new Set<string>();
  const overlap = Math.max(...[...secrets.values()].map(({ length }) => length));
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  try {
    for (const bytes of contents(pid, memory, overlap)) {
      for (const [name, secret] of secrets) if (bytes.includes(secret)) found.add(name);
      await others();
    }
  } finally {
    closeSync(memory);
  }
  return [...found].sort();
}

/** Private writable mappings: first page, and the one behind the last. */
const writable = (pid: number): readonly (readonly [number, number])[] =>
  readFileSync(`/proc/${pid}/maps`, 'latin1')
    .split('\n')
    .flatMap((line) => {
      const [, start = '', end = ''] = /^([0-9a-f]+)-([0-9a-f]+) rw.p /.exec(line) ?? [];
      const page = (address: string): number => Number.parseInt(address, 16) / PAGE_BYTES;
      return start === '' ? [] : [[page(start), page(end)] as const];
    });

/** The bytes of all pages that there are, each run of them in pieces that overlap. */
function* contents(pid: number, memory: number, overlap: number): Generator<Buffer> {
  const pagemap = openSync(`/proc/${pid}/pagemap`, 'r');
  const piece = Buffer.alloc(overlap + PIECE_PAGES * PAGE_BYTES);
  try {
    for (const [from, to] of writable(pid)) {
      for (const [start, end] of runsOf(pagemap, from, to)) {
        const at = start === from ? start * PAGE_BYTES : start * PAGE_BYTES - overlap;
        const read = readInto(memory, piece.subarray(0, end * PAGE_BYTES - at), at);
        if (read > 0) yield piece.subarray(0, read);
      }
    }
  } finally {
    closeSync(pagemap);
  }
}

/** Runs of pages of one mapping that are in memory or swapped out (proc_pid_pagemap(5)), none longer than a piece. */
function* runsOf(pagemap: number, from: number, to: number): Generator<readonly [number, number]> {
  const entries = Buffer.alloc((to - from) * 8);
  const known = readInto(pagemap, entries, from * 8) / 8;
  const present = (page: number): boolean => page < known && (entries[page * 8 + 7] ?? 0) >= 0x40;
  for (let start = 0; start < known; start++) {
    let end = start;
    while (end - start < PIECE_PAGES && present(end)) end++;
    if (end > start) yield [from + start, from + end];
    start = Math.max(start, end - 1);
  }
}

/** 0 where nothing can be read: unmapped since, or a mapping that the kernel keeps for itself. */
function readInto(file: number, target: Buffer, at: number): number {
  try {
    return readSync(file, target, 0, target.length, at);
  } catch {
    return 0;
  }
}
