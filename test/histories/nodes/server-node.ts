import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { at, type Call, HttpClient, type Reply } from '../../faults/client.ts';
import type { Result } from '../track.ts';
import { type Node, persistently } from './node.ts';
import type { Wire } from './wire.ts';

const START_MILLIS = 30_000;
/** Longer than a node is paused. */
const ANSWER_MILLIS = 6_000;
const KEPT_CHARACTERS = 8_000;

export interface ServerOptions {
  /** The folder of the compiled program. */
  readonly program: string;
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly wire: Wire | undefined;
}

/** A `keyhold server` in a process of its own. */
export class ServerNode implements Node {
  readonly wire: Wire | undefined;
  readonly #options: ServerOptions;
  #child: ChildProcess | undefined;
  #client: HttpClient | undefined;
  #url = '';
  #err = '';
  #share: string | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.wire = options.wire;
  }

  /** Of the process. */
  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  async start(): Promise<void> {
    await persistently(() => this.#startOnce());
    if (this.#share !== undefined) await this.#unseal(this.#share);
  }

  async #startOnce(): Promise<void> {
    const { program, flags, environment } = this.#options;
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('KEYHOLD_'));
    const args = [join(program, 'src', 'main.js'), 'server', '--listen', '127.0.0.1:0', ...flags];
    const child = spawn(process.execPath, args, {
      env: { ...Object.fromEntries(inherited), ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    this.#err = '';
    this.#url = await new Promise<string>((resolve, reject) => {
      const late = setTimeout(() => child.kill('SIGKILL'), START_MILLIS);
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        this.#err = (this.#err + text).slice(-KEPT_CHARACTERS);
        const found = /"message":"listening","address":"([^"]+)"/.exec(this.#err)?.[1];
        if (found === undefined) return;
        clearTimeout(late);
        resolve(found);
      });
      child.once('close', () => {
        clearTimeout(late);
        reject(new Error(`a server ended: ${this.#err}`));
      });
    });
    this.#client = new HttpClient(this.#url);
  }

  /** Unseals it, now and whenever it starts again. */
  async unsealBy(share: string): Promise<void> {
    this.#share = share;
    await this.#unseal(share);
  }

  /** Tries until it is open: the database may be away meanwhile. */
  async #unseal(key: string): Promise<void> {
    await persistently(async () => {
      const { status, json } = await this.send({ method: 'PUT', path: 'sys/unseal', body: { key } });
      if (at(json, 'sealed') !== false) throw new Error(`a server could not be unsealed: ${status} ${this.#err}`);
    });
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
    this.#client?.close();
  }

  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  cutClients(): void {
    this.#client?.close();
    this.#client = new HttpClient(this.#url);
  }

  /** Rejects where no whole answer came. */
  send(call: Call): Promise<Reply> {
    if (this.#client === undefined) throw new Error('the server was not started');
    return this.#client.send(call);
  }

  /** What became of a request, as `Result` has it; `word` puts an answer into the words of the model. */
  async ask(call: Call, word: (reply: Reply) => string): Promise<Result> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), ANSWER_MILLIS);
    });
    try {
      const reply = await Promise.race([this.send(call), late]);
      if (reply === undefined) return { kind: 'unknown' };
      return reply.status === 503 ? resultOf503(JSON.stringify(reply.json)) : { kind: 'answered', output: word(reply) };
    } catch (error) {
      // Nobody listened: the request was never sent.
      if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED')
        return { kind: 'refused', why: error.code };
      return { kind: 'unknown' };
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A 503 promises that nothing was done, and nothing will be, save where it says otherwise. */
export const resultOf503 = (sentence: string): Result =>
  sentence.includes('may have been made') ? { kind: 'unknown' } : { kind: 'refused', why: sentence };
