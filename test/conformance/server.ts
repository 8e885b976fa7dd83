import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const START_MILLIS = 20_000;
const STOP_MILLIS = 20_000;

/** A server of its own for a run of suites, in a process of its own, on a free port and a new folder. */
export interface SuiteServer {
  /** With its scheme. */
  readonly url: string;
  /** Ends the process and removes the folder. Rejects where the server did not end well by itself. */
  stop(): Promise<void>;
}

/** The root token of a development server. */
export const ROOT_TOKEN = 'root';

/**
 * Starts a server: `fresh` is one of four workers that was never initialised, otherwise it has two and is in development mode, open. Its
 * records are in a new folder, or in a schema of a database by this URL.
 */
export async function startSuiteServer(kind: 'dev' | 'fresh', databaseUrl?: string): Promise<SuiteServer> {
  const folder = mkdtempSync(join(tmpdir(), 'keyhold-conformance-'));
  const mode = kind === 'dev' ? ['--dev', '--dev-root-token-id', ROOT_TOKEN] : [];
  const args = [
    MAIN,
    'server',
    '--listen',
    '127.0.0.1:0',
    '--data',
    folder,
    '--workers',
    kind === 'fresh' ? '4' : '2',
    ...mode,
  ];
  const child = spawn(process.execPath, ['--enable-source-maps', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...(databaseUrl === undefined ? {} : inSchema(databaseUrl)) },
  });
  const ended = once(child, 'exit');
  try {
    const url = await listening(child, ended);
    return { url, stop: () => stop(child, ended, folder) };
  } catch (error) {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

const inSchema = (databaseUrl: string): Readonly<Record<string, string>> => ({
  KEYHOLD_STORAGE: 'postgres',
  KEYHOLD_POSTGRES_URL: databaseUrl,
  KEYHOLD_POSTGRES_SCHEMA: `suite_${randomUUID().replaceAll('-', '_')}`,
});

/** The address that the server logs. What it logs besides is read on and dropped, so that it never blocks; errors are shown. */
function listening(child: ChildProcess, ended: Promise<unknown>): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('the server did not listen in time')), START_MILLIS);
    let rest = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const url = /"message":"listening","address":"([^"]+)"/.exec(line)?.[1];
        if (line.includes('"level":"error"')) console.error(`server: ${line}`);
        if (url === undefined) continue;
        clearTimeout(late);
        resolve(url);
      }
    });
    ended.then(() => {
      clearTimeout(late);
      reject(new Error(`the server ended: ${rest}`));
    }, reject);
  });
}

async function stop(child: ChildProcess, ended: Promise<unknown>, folder: string): Promise<void> {
  const stuck = setTimeout(() => child.kill('SIGKILL'), STOP_MILLIS);
  child.kill('SIGTERM');
  await ended;
  clearTimeout(stuck);
  rmSync(folder, { recursive: true, force: true });
  if (child.exitCode !== 0) throw new Error(`the server ended with ${child.exitCode ?? child.signalCode}`);
}
