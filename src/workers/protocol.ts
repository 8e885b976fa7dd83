import type { Progress, SealRecord } from '../barrier/index.ts';
import type { Config } from '../config.ts';
import type { DevSecrets } from '../dev.ts';
import type { LogFormat } from '../log.ts';

/** A key or a share in its envelope. */
export type Wrapped = Uint8Array;

/** What a worker is told first: all that it needs. */
export interface StartOrder {
  readonly config: Config;
  readonly logFormat: LogFormat;
  /** Opens what opens without an operator; the others are given the key. */
  readonly first: boolean;
  /** Where the server is open. */
  readonly rootKey: Wrapped | undefined;
}

export interface Started {
  readonly initialized: boolean;
  readonly sealed: boolean;
  /** In development mode, of the first. */
  readonly development: DevSecrets | undefined;
}

export interface StopOrder {
  readonly graceMillis: number;
  /** As of `Receiver.stop`. */
  readonly idleMillis: number;
}

/** What a worker does when its supervisor asks. */
export interface WorkerCalls {
  /** Exchanges the halves of the envelope. */
  greet(half: Uint8Array): Uint8Array;
  start(order: StartOrder): Promise<Started>;
  /** Opens this worker. */
  open(rootKey: Wrapped): Promise<void>;
  /** Seals this worker. */
  shut(_: undefined): Promise<void>;
  /** Shows that it lives: open connections, those among them that were handed to it before it was asked. */
  load(_: undefined): number;
  /** Answers what it was given, and ends; at once where it has not been told to start. */
  stop(order: StopOrder): Promise<void>;
}

/** What the supervisor does when a worker asks: `Unsealing`, for all of them. */
export interface SupervisorCalls {
  submit(value: { readonly record: SealRecord; readonly share: Wrapped }): Promise<Wrapped | undefined>;
  reset(_: undefined): Promise<void>;
  progress(_: undefined): Promise<Progress>;
  opened(value: { readonly rootKey: Wrapped; readonly shuts: number }): Promise<void>;
  sealed(_: undefined): Promise<void>;
}

/** The message that a handed connection comes with. */
export const CONNECTION = 'connection';
