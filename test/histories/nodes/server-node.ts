import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { childrenOf } from '../../../src/cli/testing.ts';
import { at } from '../../faults/client.ts';
import { Asker } from './asker.ts';
import { type Node, persistently, signal } from './node.ts';
import type { Wire } from './wire.ts';

const START_MILLIS = 30_000;
const KEPT_CHARACTERS = 8_000;

export interface ServerOptions {
  /** The folder of the compiled program. */
  readonly program: string;
  readonly flags: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly wire: Wire | undefined;
}

/** A `keyhold server`, with all of its processes. */
export class ServerNode extends Asker implements Node {
  readonly wire: Wire | undefined;
  readonly #options: ServerOptions;
  readonly #opened: ((url: string | undefined) => void)[] = [];
  #child: ChildProcess | undefined;
  #err = '';
  #share: string | undefined;
  #up = false;

  constructor(options: ServerOptions) {
    super();
    this.#options = options;
    this.wire = options.wire;
  }

  /** Of the processes that serve. */
  workers(): readonly number[] {
    return childrenOf(this.#child?.pid ?? 0);
  }

  /** Whether it has started, and is not being ended. */
  get up(): boolean {
    return this.#up;
  }

  /** Tells where it is whenever it has started, and when it is gone. */
  onTurn(turn: (url: string | undefined) => void): void {
    this.#opened.push(turn);
  }

  async start(): Promise<void> {
    const url = await persistently(() => this.#startOnce());
    this.turnTo(url);
    if (this.#share !== undefined) await this.#unseal(this.#share);
    for (const turn of this.#opened) turn(url);
    this.#up = true;
  }

  async #startOnce(): Promise<string> {
    const { program, flags, environment } = this.#options;
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('KEYHOLD_'));
    const args = [join(program, 'src', 'main.js'), 'server', '--listen', '127.0.0.1:0', ...flags];
    const child = spawn(process.execPath, args, {
      env: { ...Object.fromEntries(inherited), ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    this.#err = '';
    return new Promise<string>((resolve, reject) => {
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
    this.#up = false;
    const ended = once(child, 'close');
    this.#all('SIGKILL');
    await ended;
    this.turnTo(undefined);
    for (const turn of this.#opened) turn(undefined);
  }

  pause(): void {
    this.#all('SIGSTOP');
  }

  resume(): void {
    this.#all('SIGCONT');
  }

  cutClients(): void {
    this.cut();
  }

  #all(name: NodeJS.Signals): void {
    const workers = this.workers();
    this.#child?.kill(name);
    for (const worker of workers) signal(worker, name);
  }
}
