import { createServer, type Server, type Socket } from 'node:net';
import { bind } from '../http/bind.ts';

/** Who serves connections. */
export interface Taker {
  /** Open connections, as far as is known here; infinite where it does not answer. */
  readonly load: number;
  /** Takes the connection over, or calls `refused`, now or later, where it takes none any more. */
  take(socket: Socket, refused: () => void): void;
}

/** Connections that wait while nobody serves, as between a seal and the next processes. */
const MAX_WAITING = 4_096;

/**
 * The one listening socket of a server of several processes. Connections are accepted here and handed to the process that
 * has the fewest: left to the kernel, a few long-lived connections would all come to lie with one.
 */
export class Door {
  readonly #server: Server;
  readonly #takers = new Set<Taker>();
  readonly #waiting: Socket[] = [];
  readonly #maxWaiting: number;
  #address = '';

  /** Of those that find nobody who serves `maxWaiting` wait; more are cut. */
  constructor(maxWaiting = MAX_WAITING) {
    this.#maxWaiting = maxWaiting;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true });
    this.#server.on('connection', (socket: Socket) => {
      socket.on('error', () => socket.destroy());
      this.#hand(socket);
    });
  }

  /** As bound: host:port, an IPv6 address in brackets. */
  get address(): string {
    return this.#address;
  }

  /** Rejects with the system's error where the address cannot be bound. */
  async listen(host: string, port: number): Promise<void> {
    this.#address = await bind(this.#server, host, port);
  }

  /** From now on connections may be handed to these; first those that wait. */
  admit(takers: Iterable<Taker>): void {
    for (const taker of takers) this.#takers.add(taker);
    for (const socket of this.#waiting.splice(0)) this.#hand(socket);
  }

  /** Nothing more is handed to this one. */
  dismiss(taker: Taker): void {
    this.#takers.delete(taker);
  }

  /** Accepts nothing more; who waits is cut. */
  close(): void {
    this.#server.close();
    for (const socket of this.#waiting.splice(0)) socket.destroy();
  }

  #hand(socket: Socket): void {
    if (socket.destroyed) return;
    const taker = this.#leastLoaded();
    if (taker !== undefined) taker.take(socket, () => this.#refused(socket, taker));
    else if (this.#waiting.length < this.#maxWaiting && this.#server.listening) this.#waiting.push(socket);
    else socket.destroy();
  }

  /** Who refuses one takes no other, or this would go on for ever. */
  #refused(socket: Socket, taker: Taker): void {
    this.dismiss(taker);
    this.#hand(socket);
  }

  #leastLoaded(): Taker | undefined {
    let best: Taker | undefined;
    for (const taker of this.#takers) if (best === undefined || taker.load < best.load) best = taker;
    return best;
  }
}
