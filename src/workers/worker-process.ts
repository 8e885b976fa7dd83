import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { reasonOf } from '../failure.ts';
import { isStopped } from '../process-identity.ts';
import { Channel } from './channel.ts';
import type { Member } from './custody.ts';
import type { Taker } from './door.ts';
import { type Envelope, EnvelopeHalf } from './envelope.ts';
import {
  CONNECTION,
  type Started,
  type StartOrder,
  type StopOrder,
  type SupervisorCalls,
  type WorkerCalls,
} from './protocol.ts';

const MAIN = fileURLToPath(new URL('./main.js', import.meta.url));

/** Time to open or to shut; who needs longer is ended. */
const CHANGE_MILLIS = 10_000;

/** Behind the grace of its requests a process has so much time to end by itself. */
const END_MILLIS = 5_000;

/** How a process ended: its exit code, the name of the signal, or why it could not be started. */
export type Ended = number | string;

/** The order, with the key as it is when the order goes out: the server may be opened or sealed until then. */
type Start = Omit<StartOrder, 'rootKey'> & { readonly rootKey: () => Buffer | undefined };

/** A connection that waits for the one before it to be sent. */
interface Handing {
  readonly socket: Socket;
  readonly refused: () => void;
}

/** One worker, as its supervisor sees it. */
export class WorkerProcess implements Member, Taker {
  readonly #child: ChildProcess;
  readonly #channel: Channel<WorkerCalls>;
  readonly #envelope: Promise<Envelope>;
  readonly ended: Promise<Ended>;
  #gone = false;
  #shuts = 0;
  /** Connections given to it, and what it last said of them. */
  #given = 0;
  #said = { taken: 0, open: 0 };
  /** Beats in a row that it has not answered. */
  #unanswered = 0;
  readonly #queue: Handing[] = [];
  #sending = false;

  /** `serve` makes what this worker may ask for. */
  constructor(serve: (worker: WorkerProcess) => SupervisorCalls) {
    const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
    // With the flags of this process, and bytes as bytes.
    this.#child = fork(MAIN, [], { serialization: 'advanced', stdio: [...stdio] });
    this.ended = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => resolve(code ?? signal ?? 0));
      // Of one that could not be started, too.
      this.#child.on('error', (error) => {
        if (this.#child.pid === undefined) resolve(reasonOf(error));
      });
    });
    void this.ended.then(() => this.#left());
    this.#channel = new Channel<WorkerCalls>(this.#child, serve(this));
    const half = new EnvelopeHalf();
    this.#envelope = this.#channel.call('greet', half.open).then((other) => half.with(other));
    // Whoever needs it is told.
    this.#envelope.catch(() => {});
  }

  #left(): void {
    this.#gone = true;
    for (const { refused } of this.#queue.splice(0)) refused();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get shuts(): number {
    return this.#shuts;
  }

  /** Rejects with the `Failure` of the start, or where the process ends instead. */
  async start({ rootKey, ...order }: Start): Promise<Started> {
    const envelope = await this.#envelope;
    const key = rootKey();
    return this.#channel.call('start', { ...order, rootKey: key && envelope.wrap(key) });
  }

  /** Puts a key into an envelope for it. */
  async wrap(secret: Buffer): Promise<Buffer> {
    return (await this.#envelope).wrap(secret);
  }

  async unwrap(wrapped: Uint8Array): Promise<Buffer> {
    return (await this.#envelope).unwrap(wrapped);
  }

  async open(rootKey: Buffer): Promise<void> {
    await this.#change(this.wrap(rootKey).then((wrapped) => this.#channel.call('open', wrapped)));
  }

  async shut(): Promise<void> {
    this.#shuts += 1;
    await this.#change(this.#channel.call('shut', undefined));
  }

  /** A process that is neither open nor sealed when all others are is ended. */
  async #change(change: Promise<void>): Promise<void> {
    const late = setTimeout(() => this.kill(), CHANGE_MILLIS);
    try {
      await change;
    } catch {
      this.kill();
    } finally {
      clearTimeout(late);
    }
  }

  stopped(): boolean {
    return isStopped(this.pid);
  }

  /** Asks whether it lives. Answers how many times in a row it has not answered by now. */
  beat(): number {
    if (this.#unanswered === 0) {
      this.#unanswered = 1;
      this.#channel.call('load', undefined).then(
        (said) => {
          this.#said = said;
          this.#unanswered = 0;
        },
        () => {},
      );
      return 0;
    }
    const missed = this.#unanswered;
    this.#unanswered += 1;
    return missed;
  }

  /** Its silence until now is not its fault. */
  excuse(): void {
    if (this.#unanswered > 1) this.#unanswered = 1;
  }

  get load(): number {
    return this.#unanswered > 1 ? Number.POSITIVE_INFINITY : this.#said.open + this.#given - this.#said.taken;
  }

  take(socket: Socket, refused: () => void): void {
    this.#given += 1;
    this.#queue.push({ socket, refused });
    this.#send();
  }

  /** One at a time: what has not been sent yet can go to another process where this one ends. */
  #send(): void {
    const next = this.#queue[0];
    if (next === undefined || this.#sending || this.#gone) return;
    this.#sending = true;
    this.#child.send(CONNECTION, next.socket, {}, () => {
      this.#sending = false;
      if (this.#queue[0] === next) this.#queue.shift();
      this.#send();
    });
  }

  /** Resolves when the process has ended. Ends it by force where it does not by itself. */
  async stop(order: StopOrder): Promise<void> {
    const late = setTimeout(() => this.kill(), order.graceMillis + END_MILLIS);
    // It ends before it answers; where it cannot be asked it has ended already, or is ended.
    this.#channel.call('stop', order).catch(() => {});
    await this.ended;
    clearTimeout(late);
  }

  kill(): void {
    if (!this.#gone) this.#child.kill('SIGKILL');
  }
}
