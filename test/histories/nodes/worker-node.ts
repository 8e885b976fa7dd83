import { Asker } from './asker.ts';
import { type Node, persistently, signal } from './node.ts';
import type { ServerNode } from './server-node.ts';

/**
 * One of the workers of a server, by its place, with clients of its own. Which worker their connections come to lie with is
 * the server's choice. One that is killed is replaced by the server; while the server itself is down or starts, nothing is
 * done to it.
 */
export class WorkerNode extends Asker implements Node {
  readonly wire = undefined;
  readonly #server: ServerNode;
  readonly #place: number;
  readonly #amount: number;
  #paused: number | undefined;

  /** @param amount of workers of the server */
  constructor(server: ServerNode, place: number, amount: number) {
    super();
    this.#server = server;
    this.#place = place;
    this.#amount = amount;
    server.onTurn((url) => this.turnTo(url));
  }

  /** Waits until the server has as many workers as it should have. */
  async start(): Promise<void> {
    await persistently(async () => {
      if (!this.#server.up || this.#server.workers().length < this.#amount)
        throw new Error('a worker was not replaced');
    });
  }

  async kill(): Promise<void> {
    const pid = this.#paused ?? this.#pid();
    this.#paused = undefined;
    if (pid === undefined) return;
    signal(pid, 'SIGKILL');
    await persistently(async () => {
      if (this.#server.workers().includes(pid)) throw new Error('a worker that was killed lives');
    });
  }

  pause(): void {
    this.#paused = this.#pid();
    if (this.#paused !== undefined) signal(this.#paused, 'SIGSTOP');
  }

  resume(): void {
    if (this.#paused !== undefined) signal(this.#paused, 'SIGCONT');
    this.#paused = undefined;
  }

  #pid(): number | undefined {
    return this.#server.up ? this.#server.workers()[this.#place] : undefined;
  }

  cutClients(): void {
    this.cut();
  }
}
