import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { childrenOf } from '../../src/cli/testing.ts';
import { ROOT } from './client.ts';

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const START_MILLIS = 30_000;

/** How a server process ended: exit code or signal, and what it wrote to its standard error. */
export interface Ended {
  readonly code: number | string;
  readonly err: string;
}

/** One life of a server process. */
export interface Life {
  /** With its scheme. */
  readonly url: string;
  /** Of the server itself, whatever it runs under. */
  readonly pid: number;
  /** Of the processes that serve. */
  workers(): readonly number[];
  readonly ended: Promise<Ended>;
  /** Sends a signal and waits for the end of all processes. */
  end(signal: NodeJS.Signals): Promise<Ended>;
  /** To the server; one that nobody can refuse to each of its processes. */
  signal(signal: NodeJS.Signals): void;
}

export interface LifeOptions {
  /** A program and its arguments that run the server, such as a tracer. */
  readonly under?: readonly string[];
  /** Flags of Node.js itself. */
  readonly runtime?: readonly string[];
  /** Of the server, instead of those of development mode. */
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

const developmentOn = (folder: string): readonly string[] => [
  ...['--dev', '--dev-root-token-id', ROOT, '--listen', '127.0.0.1:0', '--data', folder],
];

/** Starts the real server, in development mode on a free port, without waiting for anything. */
export function launch(
  folder: string,
  { under = [], runtime = [], flags = developmentOn(folder), environment = {} }: LifeOptions = {},
): { child: ChildProcess; ended: Promise<Ended>; err(): string } {
  const [program = '', ...args] = [...under, process.execPath, ...runtime, MAIN, 'server', ...flags];
  const env = { ...process.env, ...environment };
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env });
  let err = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code: code ?? signal, err }));
  return { child, ended, err: () => err };
}

/** Starts the server and waits until it listens. Rejects where it ends before that, or takes too long. */
export async function live(folder: string, options: LifeOptions = {}): Promise<Life> {
  const { child, ended, err } = launch(folder, options);
  const url = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the server did not listen in time: ${err()}`));
    }, START_MILLIS);
    child.stderr?.on('data', () => {
      const found = /"message":"listening","address":"([^"]+)"/.exec(err())?.[1];
      if (found === undefined) return;
      clearTimeout(late);
      resolve(found);
    });
    ended.then(({ code }) => {
      clearTimeout(late);
      reject(new Error(`the server ended (${code}): ${err()}`));
    }, reject);
  });
  const pid = under(child.pid ?? 0, options);
  const signal = (name: NodeJS.Signals): void => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    for (const one of FORCED.has(name) ? [pid, ...childrenOf(pid)] : [pid]) send(one, name);
  };
  return {
    url,
    pid,
    workers: () => childrenOf(pid),
    ended,
    signal,
    end: (name) => {
      signal(name);
      return ended;
    },
  };
}

const FORCED: ReadonlySet<NodeJS.Signals> = new Set(['SIGKILL', 'SIGSTOP', 'SIGCONT']);

/** The process that another one started as its only child; the process itself where it runs under nothing. */
const under = (pid: number, options: LifeOptions): number =>
  options.under === undefined ? pid : (childrenOf(pid)[0] ?? 0);

/** One that has ended meanwhile needs no signal. */
function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
