import type { Logger } from '../log.ts';

/** A process that is asked in turns whether it lives. */
export interface Watched {
  readonly pid: number;
  /** Whether the system says that it is stopped. */
  stopped(): boolean;
  /** Asks; answers how many times in a row it has not answered by now. */
  beat(): number;
  /** Its silence until now is not its fault. */
  excuse(): void;
  kill(): void;
}

const BEAT_MILLIS = 1_000;
/** A turn that comes later than this says that the machine is short of time, or slept. */
const LATE_MILLIS = 500;
/** Beats that a process may miss: it may be busy, or get no turn on a machine that is. */
const MOST_MISSED = 30;
/** Turns in a row in which it may be found stopped. */
const MOST_STOPPED = 5;

/**
 * Ends a process that does not answer: it may hold the store's lock, and then nobody writes. The system lets go of what
 * it held, and what it had not finished is undone.
 */
export class Watch {
  readonly #watched: () => Iterable<Watched>;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #last = 0;
  /** Turns in a row in which a process was found stopped. */
  readonly #stopped = new WeakMap<Watched, number>();

  constructor(watched: () => Iterable<Watched>, log: Logger) {
    this.#watched = watched;
    this.#log = log;
  }

  start(): void {
    this.#last = performance.now();
    this.#timer = setInterval(() => this.turn(performance.now()), BEAT_MILLIS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** One round; `now` in monotonic milliseconds. */
  turn(now: number): void {
    const late = now - this.#last > BEAT_MILLIS + LATE_MILLIS;
    this.#last = now;
    for (const process of this.#watched()) {
      if (late) process.excuse();
      const missed = process.beat();
      const stopped = missed > 0 && process.stopped() ? (this.#stopped.get(process) ?? 0) + 1 : 0;
      this.#stopped.set(process, stopped);
      if (missed < MOST_MISSED && stopped < MOST_STOPPED) continue;
      this.#log.error('a worker does not answer and is ended', { worker: process.pid });
      process.kill();
    }
  }
}
