/** What a trace of system calls (`strace -f -y`) tells of a server: its commits to disk, and its requests and answers. */

/** A system call; `begun` and `ended` are places in the trace. */
interface SystemCall {
  readonly name: string;
  /** Arguments as traced, with the file of each descriptor in angle brackets. */
  readonly text: string;
  readonly begun: number;
  readonly ended: number;
}

/** One commit of the store: its pages, a sync of them, and the page that makes them count, by a synchronous write. */
interface CommitCalls {
  readonly pages: readonly SystemCall[];
  readonly synced: boolean;
  readonly begun: number;
  readonly ended: number;
}

/** A request and its answer, by the places in the trace where the one was read and the other begun to be written. */
export interface Exchange {
  readonly request: string;
  readonly status: number;
  readonly read: number;
  readonly answered: number;
}

export interface Traced {
  readonly commits: number;
  readonly exchanges: readonly Exchange[];
  /** Exchanges that were answered before a commit that began after the request was read had reached the disk. */
  readonly early: readonly Exchange[];
}

/** The system calls that have to be traced. */
export const TRACED_CALLS = 'read,write,writev,pwrite64,pwritev,pwritev2,fdatasync,fsync,msync,openat';

const WRITES: ReadonlySet<string> = new Set(['write', 'writev', 'pwrite64', 'pwritev', 'pwritev2']);
const SYNCS: ReadonlySet<string> = new Set(['fdatasync', 'fsync', 'msync']);
const STORE_FILE = 'data.mdb>';

/** Judges a trace: each answer but those to `free` requests has to come after a commit of its own. */
export function judge(trace: string, free: (request: string) => boolean): Traced {
  const calls = systemCalls(trace);
  const commits = commitsIn(calls);
  const exchanges = exchangesIn(calls);
  const durable = ({ read, answered }: Exchange): boolean =>
    commits.some((commit) => commit.synced && commit.begun > read && commit.ended < answered);
  const early = exchanges.filter((exchange) => !free(exchange.request) && !durable(exchange));
  return { commits: commits.length, exchanges, early };
}

/** Joins the two halves of calls that another thread interrupted. */
function systemCalls(trace: string): readonly SystemCall[] {
  const calls: SystemCall[] = [];
  const open = new Map<string, { readonly name: string; readonly text: string; readonly begun: number }>();
  trace.split('\n').forEach((line, place) => {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    const resumed = /^<\.\.\. (\w+) resumed>(.*)$/.exec(rest);
    const first = open.get(thread);
    if (resumed !== null && first !== undefined) {
      open.delete(thread);
      calls.push({ ...first, text: first.text + (resumed[2] ?? ''), ended: place });
      return;
    }
    const [, name = '', text = ''] = /^(\w+)\((.*)$/.exec(rest) ?? [];
    if (name === '') return;
    if (text.endsWith('<unfinished ...>')) open.set(thread, { name, text: text.slice(0, -16), begun: place });
    else calls.push({ name, text, begun: place, ended: place });
  });
  return calls.sort((a, b) => a.begun - b.begun);
}

const descriptor = (text: string): string => /^\d+/.exec(text)?.[0] ?? '';
const ofStore = ({ text }: SystemCall): boolean => text.split(',', 1)[0]?.includes(STORE_FILE) === true;

function commitsIn(calls: readonly SystemCall[]): readonly CommitCalls[] {
  const synchronous = new Set<string>();
  const commits: CommitCalls[] = [];
  let pages: SystemCall[] = [];
  let syncs: SystemCall[] = [];
  for (const call of calls) {
    if (call.name === 'openat' && call.text.includes(STORE_FILE) && /O_D?SYNC/.test(call.text))
      synchronous.add(/= (\d+)</.exec(call.text)?.[1] ?? '');
    if (SYNCS.has(call.name) && ofStore(call)) syncs.push(call);
    if (!WRITES.has(call.name) || !ofStore(call)) continue;
    if (!synchronous.has(descriptor(call.text))) {
      pages.push(call);
      continue;
    }
    const written = Math.max(...pages.map(({ ended }) => ended));
    const synced = syncs.some((sync) => sync.begun > written && sync.ended < call.begun && / = 0$/.test(sync.text));
    commits.push({ pages, synced, begun: Math.min(...pages.map(({ begun }) => begun)), ended: call.ended });
    pages = [];
    syncs = [];
  }
  return commits;
}

function exchangesIn(calls: readonly SystemCall[]): readonly Exchange[] {
  const open = new Map<string, { readonly request: string; readonly read: number }>();
  const exchanges: Exchange[] = [];
  for (const { name, text, begun, ended } of calls) {
    const [, socket = '', content = ''] =
      /^\d+<(?:socket|TCP)[^>]*:(\[[^>]*\])>, +(?:\[\{iov_base=)?"(.*)$/.exec(text) ?? [];
    if (socket === '') continue;
    const request = /^([A-Z]+ \/v1\/[^ "]*)/.exec(content)?.[1];
    if (name === 'read' && request !== undefined) open.set(socket, { request, read: ended });
    const status = /^HTTP\/1\.1 (\d{3})/.exec(content)?.[1];
    const asked = open.get(socket);
    if (!WRITES.has(name) || status === undefined || asked === undefined) continue;
    exchanges.push({ ...asked, status: Number(status), answered: begun });
    open.delete(socket);
  }
  return exchanges;
}
