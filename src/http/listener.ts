import { constants } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { bind } from './bind.ts';
import { Budget } from './body.ts';
import { Clock } from './clock.ts';
import { Connection, type Front } from './connection.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import type { Handler } from './message.ts';
import { Outbox } from './outbox.ts';
import { noConnection } from './refusals.ts';
import { check, type HeaderList, ReplyHeads, STANDARD_HEADERS } from './reply.ts';

export { DEFAULT_LIMITS, type Limits } from './limits.ts';
export type { Handler, Headers, HttpReply, HttpRequest } from './message.ts';
export { STANDARD_HEADERS } from './reply.ts';

export interface ReceiveOptions {
  readonly handler: Handler;
  readonly limits?: Partial<Limits>;
  /** PEM. With it the listener speaks TLS 1.2 and 1.3 only. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer } | undefined;
  /** In place of STANDARD_HEADERS. */
  readonly headers?: readonly (readonly [string, string])[];
}

export interface ListenOptions extends ReceiveOptions {
  /** An address or name to bind. */
  readonly host: string;
  /** 0: a free one, found in `address` of the listener. */
  readonly port: number;
}

/** Serves connections, whoever accepted them. */
export interface Receiver {
  readonly secure: boolean;
  /** Open connections. */
  connections(): number;
  /** Serves a connection that another process has accepted, as if it had come here. */
  take(socket: Socket): void;
  /**
   * Stops accepting; answers what was wholly or partly received, with Connection: close, and closes; after
   * `graceMillis` milliseconds cuts what is left. Connections on which nothing is under way are left open for
   * `idleMillis` more, for a client that is about to ask something. Resolves when no connection is open.
   */
  stop(graceMillis: number, idleMillis?: number): Promise<void>;
}

export interface Listener extends Receiver {
  /** As bound: host:port, an IPv6 address in brackets. */
  readonly address: string;
}

const LONGEST_TICK_MILLIS = 500;
const SHORTEST_TICK_MILLIS = 10;
/** Refused connections that wait for the client to read its 503; more are cut at once. */
const REFUSED_AT_ONCE = 256;

/** Listens for HTTP/1.1 (RFC 9112). Rejects with the system's error when the address cannot be bound, or TLS's for bad PEM. */
export async function listen(options: ListenOptions): Promise<Listener> {
  const front = new ListeningFront(options);
  await front.bind(options.host, options.port);
  return front;
}

/** Serves the connections that it is given. Throws TLS's error for bad PEM. */
export const receive = (options: ReceiveOptions): Receiver => new ListeningFront(options);

class ListeningFront implements Listener, Front {
  readonly handler: Handler;
  readonly limits: Limits;
  readonly secure: boolean;
  readonly clock: Clock;
  readonly heads: ReplyHeads;
  readonly budget: Budget;
  readonly answers: Budget;
  readonly outbox = new Outbox();
  readonly #server: Server;
  readonly #timer: NodeJS.Timeout;
  readonly #sockets = new Set<Socket>();
  /** TLS connections that have not come to a request yet, by the client's end. */
  readonly #handshakes = new Map<string, Socket>();
  readonly #connections = new Set<Connection>();
  #address = '';
  #stopped: Promise<void> | undefined;
  #endsIdle = false;
  #emptied: (() => void) | undefined;
  #grace: NodeJS.Timeout | undefined;

  constructor(options: ReceiveOptions) {
    const headers: HeaderList = options.headers ?? STANDARD_HEADERS;
    for (const header of headers) check(header);
    this.handler = options.handler;
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.secure = options.tls !== undefined;
    this.#server = makeServer(options, this.limits);
    this.#server.on('connection', (socket: Socket) => this.#accept(socket));
    if (this.secure) {
      this.#server.on('secureConnection', (socket: Socket) => {
        this.#handshakes.delete(endOf(socket));
        this.#serve(socket);
      });
    }
    const tickMillis = tickOf(this.limits);
    this.clock = new Clock(tickMillis);
    this.heads = new ReplyHeads(this.clock, headers);
    this.budget = new Budget(this.limits.bodiesInFlightBytes);
    this.answers = new Budget(this.limits.bodiesInFlightBytes);
    this.#timer = setInterval(() => this.#tick(), tickMillis).unref();
  }

  get address(): string {
    return this.#address;
  }

  connections(): number {
    return this.#sockets.size;
  }

  draining(): boolean {
    return this.#emptied !== undefined;
  }

  closed(connection: Connection): void {
    this.#connections.delete(connection);
  }

  async bind(host: string, port: number): Promise<void> {
    try {
      this.#address = await bind(this.#server, host, port);
    } catch (error) {
      clearInterval(this.#timer);
      throw error;
    }
  }

  take(socket: Socket): void {
    socket.allowHalfOpen = HALF_OPEN;
    this.#server.emit('connection', socket);
  }

  stop(graceMillis: number, idleMillis = 0): Promise<void> {
    this.#stopped ??= new Promise((resolve) => {
      this.#emptied = resolve;
      this.#server.close();
      this.#grace = setTimeout(() => {
        for (const socket of this.#sockets) socket.destroy();
      }, graceMillis);
      if (idleMillis > 0) setTimeout(() => this.#endIdle(), Math.min(idleMillis, graceMillis)).unref();
      else this.#endIdle();
      this.#left();
    });
    return this.#stopped;
  }

  #endIdle(): void {
    this.#endsIdle = true;
    for (const connection of this.#connections) connection.drain();
    for (const socket of this.#handshakes.values()) socket.destroy();
  }

  /** Ends the stop when the last connection has gone. */
  #left(): void {
    if (this.#emptied === undefined || this.#sockets.size > 0) return;
    clearTimeout(this.#grace);
    clearInterval(this.#timer);
    this.#emptied();
  }

  #accept(socket: Socket): void {
    const crowded = this.#sockets.size >= this.limits.connections;
    if (crowded && (this.secure || this.#sockets.size >= this.limits.connections + REFUSED_AT_ONCE)) {
      socket.destroy();
      return;
    }
    this.#sockets.add(socket);
    const end = endOf(socket);
    if (this.secure) this.#handshakes.set(end, socket);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      if (this.#handshakes.get(end) === socket) this.#handshakes.delete(end);
      this.#left();
    });
    if (this.secure) return;
    const connection = this.#serve(socket);
    if (crowded) connection?.refuse(noConnection());
  }

  #serve(socket: Socket): Connection | undefined {
    const peer = socket.remoteAddress;
    if (peer === undefined) {
      socket.destroy();
      return undefined;
    }
    const connection = new Connection(socket, plainAddress(peer), this);
    this.#connections.add(connection);
    if (this.#endsIdle) connection.drain();
    return connection;
  }

  #tick(): void {
    this.clock.tick();
    const { now } = this.clock;
    for (const connection of this.#connections) connection.tick(now);
  }
}

/** A client that has ended its side is still answered. */
const HALF_OPEN = true;

function makeServer(options: ReceiveOptions, limits: Limits): Server {
  const common = { allowHalfOpen: HALF_OPEN, noDelay: true };
  if (options.tls === undefined) return createServer(common);
  const { cert, key } = options.tls;
  const server = createTlsServer({
    ...common,
    cert,
    key,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
    handshakeTimeout: limits.headMillis,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  });
  // A handshake that fails or takes too long is only told; nobody else ends the connection.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return server;
}

const endOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** Often enough for the shortest limit, seldom enough to cost nothing. */
function tickOf(limits: Limits): number {
  const { headMillis, bodyMillis, idleMillis, writeMillis, lingerMillis } = limits;
  const shortest = Math.min(headMillis, bodyMillis, idleMillis, writeMillis, lingerMillis);
  return Math.max(SHORTEST_TICK_MILLIS, Math.min(LONGEST_TICK_MILLIS, shortest / 4));
}

/** An IPv4-mapped IPv6 address as IPv4 (RFC 4291 §2.5.5.2), and without a zone (RFC 4007 §11). */
export function plainAddress(address: string): string {
  const zone = address.indexOf('%');
  const plain = zone < 0 ? address : address.slice(0, zone);
  const mapped = plain.toLowerCase().startsWith('::ffff:') && plain.includes('.');
  return mapped ? plain.slice('::ffff:'.length) : plain;
}
