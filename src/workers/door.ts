import { createServer, type Server, type Socket } from 'node:net';
import { bind } from '../http/bind.ts';

/** Who serves connections. */
export interface Taker {
  /** Open connections, as far as is known here; infinite where it does not answer. */
  readonly load: number;
  /** Takes the connection over, or calls `refused`, now or later, where it takes none any more. */
  take(socket: Socket, refused: () => void): void;
}

/** How many connections wait, and for how long each. */
interface Waiting {
  readonly most: number;
  readonly millis: number;
}

/** Connections that wait while nobody serves, as between a seal and the next processes. */
const WAITING = { most: 4_096, millis: 10_000 } as const;

/**
 * The one listening socket of a server of several processes. Connections are accepted here and handed to the process that
 * has the fewest: left to the kernel, a few long-lived connections would all come to lie with one.
 */
export class Door {
  readonly #server: Server;
  readonly #takers = new Set<Taker>();
  readonly #waiting = new Set<Socket>();
  readonly #limits: Waiting;
  #address = '';

  /** Those that find nobody who serves wait within the limits; others are cut, and where they wait in vain too. */
  constructor(limits: Waiting = WAITING) {
    this.#limits = limits;
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
    for (const socket of this.#leave()) this.#hand(socket);
  }

  /** Nothing more is handed to this one. */
  dismiss(taker: Taker): void {
    this.#takers.delete(taker);
  }

  /** Accepts nothing more; who waits is cut. */
  close(): void {
    this.#server.close();
    for (const socket of this.#leave()) socket.destroy();
  }

  #hand(socket: Socket): void {
    if (socket.destroyed) return;
    const taker = this.#leastLoaded();
    if (taker !== undefined) taker.take(socket, () => this.#refused(socket, taker));
    else if (this.#waiting.size < this.#limits.most && this.#server.listening) this.#keep(socket);
    else socket.destroy();
  }

  #keep(socket: Socket): void {
    this.#waiting.add(socket);
    socket.once('close', () => this.#waiting.delete(socket));
    // Nothing is read of it meanwhile, so it is idle from now on.
    socket.setTimeout(this.#limits.millis, () => socket.destroy());
  }

  /** Those that waited, who do no more. */
  #leave(): readonly Socket[] {
    const sockets = [...this.#waiting];
    this.#waiting.clear();
    for (const socket of sockets) socket.setTimeout(0).removeAllListeners('timeout');
    return sockets;
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
