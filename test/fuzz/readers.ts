// Our front and Node's, each at the end of a pipe in memory, noting what they understand of the bytes that come.
import { createServer, type Server } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { Budget } from '../../src/http/body.ts';
import { Clock } from '../../src/http/clock.ts';
import { Connection, type Front } from '../../src/http/connection.ts';
import { DEFAULT_LIMITS } from '../../src/http/limits.ts';
import type { HttpRequest } from '../../src/http/message.ts';
import { Outbox } from '../../src/http/outbox.ts';
import { ReplyHeads, STANDARD_HEADERS } from '../../src/http/reply.ts';

/** What a reader understood of one request. */
export interface Understood {
  readonly method: string;
  readonly target: string;
  readonly body: string;
  /** Those that the reader can tell; lower case. */
  readonly names: readonly string[];
  /** The lines of a header, by its name in lower case. */
  lines(name: string): readonly string[];
}

/** All that came of one connection: what was understood, and what was sent back. */
export interface Outcome {
  readonly requests: readonly Understood[];
  readonly answers: string;
}

const QUIET_TURNS = 3;

/** Pieces that come each in a turn of its own; further ones come in a row, as quickly as they can. */
const APART = 20;

/** Sends the pieces, waits until nothing more comes of them, ends, and takes what came back. */
async function exchange(client: Duplex, pieces: readonly Buffer[], progress: () => number): Promise<string> {
  const received: Buffer[] = [];
  client.on('data', (piece: Buffer) => received.push(piece));
  client.on('error', () => {});
  for (const piece of pieces) {
    if (client.destroyed) break;
    client.write(piece);
    if (pieces.length <= APART) await turn();
  }
  const count = (): number => progress() + received.length;
  for (let seen = count(), quiet = 0; quiet < QUIET_TURNS; quiet++) {
    await turn();
    if (count() !== seen) quiet = 0;
    seen = count();
  }
  client.end();
  for (let i = 0; i < QUIET_TURNS; i++) await turn();
  client.destroy();
  return Buffer.concat(received).toString('latin1');
}

/** The product's own reader. */
export async function readByOurs(pieces: readonly Buffer[]): Promise<Outcome> {
  const requests: Understood[] = [];
  const note = ({ method, target, headers, body }: HttpRequest): void => {
    requests.push({ method, target, body: body.toString('latin1'), names: [], lines: (name) => headers.lines(name) });
  };
  const clock = new Clock(1_000);
  const front: Front = {
    handler: async (request) => {
      note(request);
      return { status: 200 };
    },
    limits: DEFAULT_LIMITS,
    secure: false,
    clock,
    heads: new ReplyHeads(clock, STANDARD_HEADERS),
    budget: new Budget(DEFAULT_LIMITS.bodiesInFlightBytes),
    answers: new Budget(DEFAULT_LIMITS.bodiesInFlightBytes),
    outbox: new Outbox(),
    draining: () => false,
    closed: () => {},
  };
  const [client, side] = duplexPair();
  new Connection(side, '127.0.0.1', front);
  const answers = await exchange(client, pieces, () => requests.length);
  side.destroy();
  return { requests, answers };
}

/** Node's reader, the oracle. */
export class Oracle {
  #requests: Understood[] = [];
  readonly #server: Server = createServer({ requireHostHeader: true }, (request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('error', () => {});
    request.on('end', () => {
      // Trailers are left out: ours refuses them.
      const headers = new Map<string, string[]>();
      for (let i = 0; i < request.rawHeaders.length; i += 2) {
        const name = request.rawHeaders[i]?.toLowerCase() ?? '';
        headers.set(name, [...(headers.get(name) ?? []), request.rawHeaders[i + 1] ?? '']);
      }
      const { method = '', url: target = '' } = request;
      const body = Buffer.concat(pieces).toString('latin1');
      const lines = (name: string): readonly string[] => headers.get(name) ?? [];
      this.#requests.push({ method, target, body, names: [...headers.keys()], lines });
      response.end();
    });
  });

  constructor() {
    // To end the connection here would lose what came whole before the fault.
    this.#server.on('clientError', () => {});
  }

  /** One at a time. */
  async read(pieces: readonly Buffer[]): Promise<Outcome> {
    this.#requests = [];
    const [client, side] = duplexPair();
    side.on('error', () => {});
    this.#server.emit('connection', side);
    const answers = await exchange(client, pieces, () => this.#requests.length);
    side.destroy();
    return { requests: this.#requests, answers };
  }

  close(): void {
    this.#server.close();
  }
}
