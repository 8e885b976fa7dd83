import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Failure, reasonOf } from '../failure.ts';
import { isStopped } from '../process-identity.ts';
import { Channel, Gone } from './channel.ts';
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

/** Connections that wait to be handed to one process; more are cut. */
const MAX_QUEUED = 4_096;

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
  #trusted = false;
  /** Open connections when it was last asked, and those sent since then. */
  #open = 0;
  #sent = 0;
  /** Beats in a row that it has not answered. */
  #unanswered = 0;
  readonly #queue: Handing[] = [];
  #sending: Handing | undefined;

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
    this.#channel.lost();
    this.#sending?.refused();
    this.#refuseQueued();
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get shuts(): number {
    return this.#shuts;
  }

  /** Whether a key or a share has been in its memory. */
  get trusted(): boolean {
    return this.#trusted;
  }

  /** Rejects with the `Failure` of the start, or where the process ends instead. */
  async start({ rootKey, ...order }: Start): Promise<Started> {
    try {
      const envelope = await this.#envelope;
      const key = rootKey();
      this.#trusted ||= key !== undefined;
      return await this.#channel.call('start', { ...order, rootKey: key && envelope.wrap(key) });
    } catch (error) {
      this.kill();
      if (!(error instanceof Gone)) throw error;
      throw new Failure(`a process of the server ended while it started: ${await this.ended}`);
    }
  }

  /** Puts a key into an envelope for it. */
  async wrap(secret: Buffer): Promise<Buffer> {
    this.#trusted = true;
    return (await this.#envelope).wrap(secret);
  }

  async unwrap(wrapped: Uint8Array): Promise<Buffer> {
    this.#trusted = true;
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
      const before = this.#sent;
      this.#channel.call('load', undefined).then(
        (open) => {
          this.#open = open;
          this.#sent -= before;
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
    return this.#unanswered > 1 ? Number.POSITIVE_INFINITY : this.#open + this.#sent + this.#queue.length;
  }

  take(socket: Socket, refused: () => void): void {
    if (this.#gone) refused();
    else if (this.#queue.length >= MAX_QUEUED) socket.destroy();
    else this.#queue.push({ socket, refused });
    this.#send();
  }

  /** One at a time: what has not been sent yet can go to another process where this one ends. */
  #send(): void {
    if (this.#sending !== undefined || this.#gone) return;
    const next = this.#queue.shift();
    if (next === undefined) return;
    this.#sending = next;
    this.#sent += 1;
    // Node would keep a socket that it sent to a process which died for ever; so this end closes its own copy.
    this.#child.send(CONNECTION, next.socket, { keepOpen: true }, (error) => {
      // Without its channel it ends at once, and what it was not sent is refused then.
      if (error !== null || this.#sending !== next) return;
      next.socket.destroy();
      this.#sending = undefined;
      this.#send();
    });
  }

  #refuseQueued(): void {
    for (const { refused } of this.#queue.splice(0)) refused();
  }

  /** Resolves when the process has ended. Ends it by force where it does not by itself. */
  async stop(order: StopOrder): Promise<void> {
    this.#refuseQueued();
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
