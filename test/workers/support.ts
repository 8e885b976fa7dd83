import assert from 'node:assert/strict';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { childrenOf, runServer, type ServerProcess, scratchFolder } from '../../src/cli/testing.ts';
import { dial } from '../http/wire.ts';

/** For the tests of servers of several processes: a server, and connections of which one knows who serves them. */

export const ROOT = 'root-of-the-workers';

/** A server may need as long on a machine that is busy with other things. */
const LIFE_MILLIS = 120_000;
const PATIENCE_MILLIS = 30_000;

export interface Reply {
  readonly status: number;
  readonly json: unknown;
  /** Whether the server keeps the connection. */
  readonly kept: boolean;
}

/** A server of this many processes, in development mode where no folder is named. */
export async function start(
  workers: number,
  args: readonly string[] = [],
  data?: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  const folder = ['--data', data ?? scratchFolder()];
  const mode = data === undefined ? ['--dev', '--dev-root-token-id', ROOT] : [];
  const flags = ['--workers', String(workers), ...mode, ...folder, ...args];
  const server = await runServer(flags, { lifeMillis: LIFE_MILLIS, environment });
  // Where a test failed half-way.
  after(() => server.stop('SIGKILL'));
  return server;
}

/** One kept connection, of which one knows who serves it. */
export class Line {
  readonly #socket: Socket;
  readonly #url: URL;
  #text = '';
  #wake = (): void => {};
  #closed = false;

  constructor(socket: Socket, url: URL) {
    this.#socket = socket;
    this.#url = url;
    socket.setEncoding('latin1');
    socket.on('data', (piece) => {
      this.#text += String(piece);
      this.#wake();
    });
    socket.on('close', () => {
      this.#closed = true;
      this.#wake();
    });
  }

  static async open({ url }: { readonly url: string }): Promise<Line> {
    return new Line(await dial(new URL(url).host), new URL(url));
  }

  static many(server: { readonly url: string }, count: number): Promise<readonly Line[]> {
    return Promise.all(Array.from({ length: count }, () => Line.open(server)));
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Bytes as they are. */
  write(text: string): void {
    this.#socket.write(text);
  }

  /** One request; `token` defaults to the root token. Rejects where the connection ends before the answer. */
  send(method: string, path: string, body?: unknown, token: string | undefined = ROOT): Promise<Reply> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const length = body === undefined ? '' : `Content-Length: ${Buffer.byteLength(text)}\r\n`;
    const head = `${method} /v1/${path} HTTP/1.1\r\nHost: h\r\nX-Service-Token: ${token}\r\n${length}\r\n`;
    this.#socket.write(head + text);
    return this.answer();
  }

  /** The next answer. */
  async answer(): Promise<Reply> {
    for (;;) {
      const end = this.#text.indexOf('\r\n\r\n') + 4;
      const head = this.#text.slice(0, end);
      const whole = end + Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      if (end >= 4 && this.#text.length >= whole) {
        const body = this.#text.slice(end, whole);
        this.#text = this.#text.slice(whole);
        const kept = !/^connection: close/im.test(head);
        return { status: Number(head.slice(9, 12)), json: body === '' ? undefined : JSON.parse(body), kept };
      }
      if (this.#closed) throw new Error('the connection ended before the answer');
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Ends when the other side has closed. */
  async ended(): Promise<void> {
    await until('the connection is closed', () => this.#closed);
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Which of these processes holds the server's end of this connection; undefined while none does. */
  servedBy(pids: readonly number[]): number | undefined {
    const socket = `socket:[${inodeOf(Number(this.#url.port), this.#socket.localPort ?? 0)}]`;
    return pids.find((pid) => descriptorsOf(pid).includes(socket));
  }
}

/** The server's end of a connection of this machine (proc_net_tcp(5)). */
function inodeOf(server: number, client: number): string {
  const hex = (port: number): string => `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  for (const line of readFileSync('/proc/net/tcp', 'latin1').split('\n')) {
    const fields = line.trim().split(/ +/);
    if (fields[1]?.endsWith(hex(server)) && fields[2]?.endsWith(hex(client))) return fields[9] ?? '';
  }
  return 'none';
}

/** What the descriptors of a process are; none where it has ended. */
export function descriptorsOf(pid: number): readonly string[] {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).flatMap((name) => linkOf(join(folder, name)));
  } catch {
    return [];
  }
}

function linkOf(path: string): readonly string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    return [];
  }
}

/** One connection to each worker of a server. */
export async function oneToEach(server: ServerProcess): Promise<ReadonlyMap<number, Line>> {
  const found = new Map<number, Line>();
  await until('a connection to each worker', async () => {
    const workers = server.workers().filter(runs);
    const line = await Line.open(server);
    await line.send('GET', 'sys/health');
    const pid = line.servedBy(workers);
    if (pid === undefined || found.has(pid)) line.close();
    else found.set(pid, line);
    return workers.every((worker) => found.has(worker));
  });
  return found;
}

/** Whether a process runs, however little: a zombie does not. */
export function runs(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

/** Waits for something that comes by itself. */
export async function until(
  what: string,
  check: () => boolean | Promise<boolean>,
  millis = PATIENCE_MILLIS,
): Promise<void> {
  for (const begun = performance.now(); !(await check()); await pause(10)) {
    assert.ok(performance.now() - begun < millis, `in time: ${what}`);
  }
}

/** Waits until as many workers run, none of them one of `old`; their numbers. */
export async function renewed(
  server: ServerProcess,
  count: number,
  old: readonly number[],
): Promise<readonly number[]> {
  const fresh = (): readonly number[] => childrenOf(server.pid).filter(runs);
  await until(`${count} new workers`, () => fresh().length === count && !fresh().some((pid) => old.includes(pid)));
  return fresh();
}

/** A member of JSON by the names that lead to it. */
export function at(json: unknown, ...names: readonly string[]): unknown {
  let value = json;
  for (const name of names) value = new Map<string, unknown>(Object.entries(value ?? {})).get(name);
  return value;
}

/** Tests of this kind look at processes as Linux shows them. */
export const LINUX = process.platform === 'linux' ? {} : { skip: 'looks at processes as Linux shows them' };
