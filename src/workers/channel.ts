import { Failure } from '../failure.ts';
import { ServiceError } from '../framework/errors.ts';

/** The inherited channel to another process of the server: of a child to its parent, or the other way round. */
export interface Port {
  /** Undefined in a process that has no parent. */
  readonly send?: ((message: object, done: (error: Error | null) => void) => boolean) | undefined;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
}

/** What one end does for the other: functions of one value each. */
export type Calls<T> = { readonly [K in keyof T]: (value: never) => unknown };

type Asked<F> = F extends (value: infer V) => unknown ? V : never;
type Answered<F> = F extends (value: never) => infer R ? Awaited<R> : never;

/** Sent as it stands: both ends are of one version and of one program. */
type Message =
  | { readonly call: number; readonly name: string; readonly value: unknown }
  | { readonly answer: number; readonly value: unknown }
  | { readonly answer: number; readonly error: ErrorText };

interface ErrorText {
  readonly kind: 'service' | 'failure' | 'fault';
  readonly code: number;
  readonly sentences: readonly string[];
  readonly headers: readonly (readonly [string, string])[];
  /** Of a fault of ours, for the log. */
  readonly stack?: string | undefined;
}

/** The other process ended, or ended the channel: whether it did what it was asked is unknown. */
export class Gone extends Error {
  constructor() {
    super('the other process is gone');
    this.name = 'Gone';
  }
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Calls to the other end of a channel, and answers to its calls. Calls arrive in the order in which they were made. */
export class Channel<Theirs extends Calls<Theirs>> {
  readonly #port: Port;
  readonly #mine: ReadonlyMap<string, (value: unknown) => unknown>;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;

  constructor(port: Port, mine: object) {
    this.#port = port;
    this.#mine = new Map(Object.entries(mine));
    port.on('message', (message) => {
      if (isMessage(message)) void this.#received(message);
    });
    port.on('disconnect', () => this.lost());
  }

  /** Rejects with the error of the other end, or with `Gone`. */
  call<K extends keyof Theirs & string>(name: K, value: Asked<Theirs[K]>): Promise<Answered<Theirs[K]>> {
    this.#calls += 1;
    const call = this.#calls;
    return new Promise((resolve, reject) => {
      // The other end answers what its function of this name gives.
      this.#waiting.set(call, { resolve: resolve as (value: unknown) => void, reject });
      this.#send({ call, name, value });
    });
  }

  #send(message: Message): void {
    // A process that could not be started, or has no parent, has no channel either.
    if (this.#port.send === undefined) this.lost();
    this.#port.send?.(message, (error) => {
      if (error !== null) this.lost();
    });
  }

  async #received(message: Message): Promise<void> {
    if ('call' in message) return this.#serve(message.call, message.name, message.value);
    const waiting = this.#waiting.get(message.answer);
    this.#waiting.delete(message.answer);
    if ('error' in message) waiting?.reject(revive(message.error));
    else waiting?.resolve(message.value);
  }

  async #serve(call: number, name: string, value: unknown): Promise<void> {
    try {
      const serve = this.#mine.get(name);
      if (serve === undefined) throw new Error(`there is no call ${name}`);
      this.#send({ answer: call, value: await serve(value) });
    } catch (error) {
      this.#send({ answer: call, error: describe(error) });
    }
  }

  /** The other end answers nothing more: what waits for it is told. */
  lost(): void {
    for (const { reject } of this.#waiting.values()) reject(new Gone());
    this.#waiting.clear();
  }
}

const isMessage = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && ('call' in value || 'answer' in value);

function describe(error: unknown): ErrorText {
  const nothing = { sentences: [error instanceof Error ? error.message : String(error)], headers: [] };
  if (error instanceof ServiceError) {
    return { kind: 'service', code: error.status, sentences: error.errors, headers: error.headers };
  }
  if (error instanceof Failure) return { kind: 'failure', code: error.exitCode, ...nothing };
  return { kind: 'fault', code: 0, ...nothing, stack: error instanceof Error ? error.stack : undefined };
}

function revive({ kind, code, sentences, headers, stack }: ErrorText): Error {
  if (kind === 'service') return new ServiceError(code, sentences, headers);
  const sentence = sentences.join(' ');
  if (kind === 'failure') return new Failure(sentence, code);
  const fault = new Error(sentence);
  if (stack !== undefined) fault.stack = stack;
  return fault;
}
