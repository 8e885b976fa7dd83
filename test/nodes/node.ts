import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { childrenOf, MAIN } from '../../src/cli/testing.ts';
import { at } from '../faults/client.ts';

const START_MILLIS = 60_000;

/** What a node answered. */
export interface Reply {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
  /** Undefined where the body is none. */
  readonly json: unknown;
  /** Between the call and the end of the answer. */
  readonly millis: number;
}

export interface NodeOptions {
  readonly database: string;
  readonly schema: string;
  /** More variables of the server's settings, such as `KEYHOLD_POSTGRES_STATEMENT_MILLIS`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Modules that are loaded before the program. */
  readonly preload?: readonly string[];
  /** Another program than the one that was built. */
  readonly main?: string;
}

/** One `keyhold server` in a process of its own, with a data folder of its own and a database shared with others. */
export class Node {
  readonly url: URL;
  token: string | undefined;
  readonly #child: ChildProcess;
  readonly #log: () => string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #ended: Promise<unknown>;

  private constructor(url: string, child: ChildProcess, log: () => string, ended: Promise<unknown>) {
    this.url = new URL(url);
    this.#child = child;
    this.#log = log;
    this.#ended = ended;
  }

  /** Waits until it listens; rejects with its log where it ends before that. */
  static async start(options: NodeOptions): Promise<Node> {
    const { database, schema, settings = {}, preload = [], main = MAIN } = options;
    const data = mkdtempSync(join(tmpdir(), 'keyhold-node-'));
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('KEYHOLD_'));
    const child = spawn(process.execPath, [main, 'server', '--listen', '127.0.0.1:0', '--data', data], {
      env: {
        ...Object.fromEntries(inherited),
        ...{ KEYHOLD_STORAGE: 'postgres', KEYHOLD_POSTGRES_URL: database, KEYHOLD_POSTGRES_SCHEMA: schema },
        ...{ KEYHOLD_POSTGRES_POOL_SIZE: '6', NODE_OPTIONS: preload.map((file) => `--import=${file}`).join(' ') },
        ...settings,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let log = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    const ended = once(child, 'close').finally(() => rmSync(data, { recursive: true, force: true }));
    const url = await new Promise<string>((resolve, reject) => {
      const late = setTimeout(() => child.kill('SIGKILL'), START_MILLIS);
      child.stderr?.on('data', () => {
        const found = /"message":"listening","address":"([^"]+)"/.exec(log)?.[1];
        if (found === undefined) return;
        clearTimeout(late);
        resolve(found);
      });
      ended.then(() => {
        clearTimeout(late);
        reject(new Error(`the node ended (${child.exitCode ?? child.signalCode}): ${log}`));
      }, reject);
    });
    return new Node(url, child, () => log, ended);
  }

  /** One request; `path` is relative to `/v1/`. Rejects where no whole answer came. */
  send(method: string, path: string, body?: unknown, token: string | undefined = this.token): Promise<Reply> {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = {
      ...(token === undefined ? {} : { 'X-Service-Token': token }),
      ...(method === 'PATCH' ? { 'Content-Type': 'application/merge-patch+json' } : {}),
      ...(bytes === undefined ? {} : { 'Content-Length': bytes.length }),
    };
    const { hostname: host, port } = this.url;
    const begun = performance.now();
    return new Promise((resolve, reject) => {
      const outgoing = request({ host, port, agent: this.#agent, method, path: `/v1/${path}`, headers }, (incoming) => {
        const pieces: Buffer[] = [];
        incoming.on('data', (piece: Buffer) => pieces.push(piece));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(pieces).toString();
          resolve({
            status: incoming.statusCode ?? 0,
            retryAfter: incoming.headers['retry-after'],
            text,
            json: text === '' ? undefined : JSON.parse(text),
            millis: performance.now() - begun,
          });
        });
      });
      outgoing.on('error', reject);
      outgoing.end(bytes);
    });
  }

  /** As `send`, of a request that must be answered with this status; a member of what came, by its names. */
  async expect(status: number, method: string, path: string, body?: unknown, token?: string): Promise<unknown> {
    const reply = await this.send(method, path, body, token ?? this.token);
    if (reply.status !== status) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.json;
  }

  /** The events that its log tells of, in order. */
  log(): readonly unknown[] {
    return this.#log()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line): unknown => JSON.parse(line));
  }

  /** The messages of the log that are errors. */
  errors(): readonly string[] {
    return this.log().flatMap((event) => (at(event, 'level') === 'error' ? [String(at(event, 'message'))] : []));
  }

  /** To the server; one that nobody can refuse to each of its processes. */
  signal(name: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    for (const one of FORCED.has(name) ? [pid, ...childrenOf(pid)] : [pid]) send(one, name);
  }

  /** Ends it and waits until it has; a stopped one too. The exit code, or the name of the signal. */
  async end(name: NodeJS.Signals = 'SIGKILL'): Promise<number | string> {
    this.#agent.destroy();
    this.signal(name);
    this.signal('SIGCONT');
    await this.#ended;
    return this.#child.exitCode ?? this.#child.signalCode ?? '';
  }
}

const FORCED: ReadonlySet<NodeJS.Signals> = new Set(['SIGKILL', 'SIGSTOP', 'SIGCONT']);

/** One that has ended meanwhile needs no signal. */
function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Looks again and again until it is so; fails after a time that only a fault takes. */
export async function until(what: string, so: () => Promise<boolean> | boolean, millis = 60_000): Promise<void> {
  const end = performance.now() + millis;
  while (!(await so())) {
    if (performance.now() > end) throw new Error(`never came to be: ${what}`);
    await pause(20);
  }
}
