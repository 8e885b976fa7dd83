import type { Log } from './core/service.ts';

/** Closes in reverse order what was opened; one that fails keeps no other from being closed. */
export class Undo {
  readonly #log: Log;
  readonly #steps: (() => Promise<void> | void)[] = [];
  #done: Promise<void> | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  add(close: () => Promise<void> | void): void {
    this.#steps.push(close);
  }

  /** Once, whoever asks how often. */
  all(): Promise<void> {
    this.#done ??= this.#close();
    return this.#done;
  }

  async #close(): Promise<void> {
    for (const close of this.#steps.toReversed()) {
      try {
        await close();
      } catch (error) {
        this.#log.error('something could not be closed', { error });
      }
    }
  }
}
