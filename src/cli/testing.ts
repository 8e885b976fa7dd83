import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

/** For tests: the program as users run it, in processes of its own. */
export const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

export interface Ended {
  /** The exit code, or the name of the signal that ended it. */
  readonly code: number | string;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** User and group to run as; only root may say. */
  readonly user?: number;
  /** It is killed after so many milliseconds. */
  readonly lifeMillis?: number;
}

/** Shorter than the time that a test has, so that none is left behind; long enough for a machine that is busy. */
const STUCK_MILLIS = 240_000;

/** A folder that is removed after the tests of the file. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keyhold-test-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function launch(args: readonly string[], options: RunOptions): ChildProcess {
  const { environment = {}, user, lifeMillis = STUCK_MILLIS } = options;
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('KEYHOLD_'));
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...Object.fromEntries(inherited), ...environment },
    stdio: 'pipe',
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  const stuck = setTimeout(() => child.kill('SIGKILL'), lifeMillis);
  child.once('exit', () => clearTimeout(stuck));
  return child;
}

function collect(child: ChildProcess): { ended: Promise<Ended>; err(): string } {
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code: code ?? signal, out, err }));
  return { ended, err: () => err };
}

/** Runs a command to its end. */
export function run(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const child = launch(args, options);
  child.stdin?.on('error', () => {});
  child.stdin?.end(options.input ?? '');
  return collect(child).ended;
}

export interface ServerProcess {
  /** With its scheme. */
  readonly url: string;
  readonly pid: number;
  /** Of the processes that serve. */
  workers(): readonly number[];
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Ended>;
  /** Sends a signal only. */
  signal(signal: NodeJS.Signals): void;
  /** What it has written to its standard error. */
  err(): string;
  /** Closes the other end of its standard output and error. */
  deafen(): void;
  readonly ended: Promise<Ended>;
}

/** Starts `keyhold server` on a free port and waits until it listens. */
export async function runServer(args: readonly string[], options: RunOptions = {}): Promise<ServerProcess> {
  const child = launch(['server', '--listen', '127.0.0.1:0', ...args], options);
  const { ended, err } = collect(child);
  const url = await new Promise<string>((resolve, reject) => {
    const look = (): void => {
      const found = /"message":"listening","address":"([^"]+)"/.exec(err())?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stderr?.on('data', look);
    ended.then(({ code }) => reject(new Error(`the server ended (${code}): ${err()}`)), reject);
  });
  const signal = (name: NodeJS.Signals): void => {
    child.kill(name);
  };
  return {
    url,
    pid: child.pid ?? 0,
    workers: () => childrenOf(child.pid ?? 0),
    ended,
    err,
    deafen() {
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
    signal,
    stop(name = 'SIGTERM') {
      signal(name);
      return ended;
    },
  };
}

/** The children of a process that runs; none where the system does not tell. */
export function childrenOf(pid: number): readonly number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text.split(' ').flatMap((child) => (child === '' ? [] : [Number(child)]));
}

/** One request with JSON in and out. */
export async function api(
  url: string,
  token: string | undefined,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; json: unknown }> {
  const response = await fetch(`${url}/v1/${path}`, {
    method,
    headers: token === undefined ? {} : { 'X-Service-Token': token },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, json: text === '' ? undefined : JSON.parse(text) };
}
