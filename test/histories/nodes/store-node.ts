import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Program } from '../models/transactions.ts';
import type { Result } from '../track.ts';
import { type Node, persistently } from './node.ts';
import type { Wire } from './wire.ts';

/** What a process is told to open, as its only argument in JSON. */
export type Opening =
  | { readonly store: 'lmdb'; readonly folder: string }
  | {
      readonly store: 'postgres';
      readonly url: string;
      readonly statementMillis: number;
      readonly patienceMillis: number;
    };

/** A transaction for it; keys stand behind the prefix. */
export interface Order {
  readonly id: number;
  readonly prefix: string;
  readonly program: Program;
}

export interface Done {
  readonly id: number;
  readonly result: Result;
}

const ANSWER_MILLIS = 6_000;

/** A plain process that opens the store and runs transactions, without a server. */
export class StoreNode implements Node {
  readonly wire: Wire | undefined;
  readonly #file: string;
  readonly #opening: Opening;
  readonly #waiting = new Map<number, (result: Result) => void>();
  #child: ChildProcess | undefined;
  #ready = false;
  #orders = 0;

  /** @param program the folder of the compiled program */
  constructor(program: string, opening: Opening, wire: Wire | undefined) {
    this.#file = join(program, 'test', 'histories', 'nodes', 'store-process.js');
    this.#opening = opening;
    this.wire = wire;
  }

  start(): Promise<void> {
    return persistently(() => this.#startOnce());
  }

  async #startOnce(): Promise<void> {
    const child = fork(this.#file, [JSON.stringify(this.#opening)], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    this.#child = child;
    let err = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    const ended = once(child, 'close').then(() => {
      this.#ready = false;
      throw new Error(`a process with the store ended: ${err}`);
    });
    await Promise.race([once(child, 'message'), ended]);
    ended.catch(() => this.#forget());
    this.#ready = true;
    child.on('message', (message: unknown) => {
      if (!isDone(message)) throw new Error('a process with the store said what nobody asked');
      this.#settle(message.id, message.result);
    });
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'close');
    this.#ready = false;
    child.kill('SIGKILL');
    await ended;
    this.#forget();
  }

  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  cutClients(): void {}

  run(prefix: string, program: Program): Promise<Result> {
    const child = this.#child;
    if (child === undefined || !this.#ready) return Promise.resolve({ kind: 'refused' });
    this.#orders += 1;
    const id = this.#orders;
    return new Promise((resolve) => {
      const late = setTimeout(() => this.#settle(id, { kind: 'unknown' }), ANSWER_MILLIS);
      this.#waiting.set(id, (result) => {
        clearTimeout(late);
        resolve(result);
      });
      const order: Order = { id, prefix, program };
      child.send(order, (error) => {
        if (error !== null) this.#settle(id, { kind: 'unknown' });
      });
    });
  }

  #settle(id: number, result: Result): void {
    this.#waiting.get(id)?.(result);
    this.#waiting.delete(id);
  }

  #forget(): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id, { kind: 'unknown' });
  }
}

const isDone = (message: unknown): message is Done =>
  typeof message === 'object' && message !== null && 'id' in message && 'result' in message;
