import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { TestDatabase } from './server.ts';

/** Parameters of a start that PgBouncer takes; it refuses a connection with any other. */
const TAKEN = new Set(['user', 'database', 'client_encoding', 'application_name', 'datestyle', 'timezone']);

/** What stands between a client and the database, and what went through it. */
export interface Pooler {
  readonly url: string;
  /** Statements so far, each one trip. */
  trips(): number;
  /** What was sent while this is done: the bytes of each statement, with its values. */
  sent(run: () => Promise<unknown>): Promise<readonly Buffer[]>;
  /** The answer to the next statement whose text holds this is lost: the client's connection is cut instead. */
  loseAnswerTo(text: string): void;
  stop(): Promise<void>;
}

/**
 * Stands in for PgBouncer in transaction mode: each statement outside a transaction goes to another session than the one
 * before, in turn; a client keeps a session only while a transaction is open.
 */
export async function startPooler(database: TestDatabase, sessions: number): Promise<Pooler> {
  const idle: Session[] = [];
  const waiting: ((session: Session) => void)[] = [];
  const clients = new Set<Socket>();
  const all: Session[] = [];
  let [trips, losing] = [0, ''];
  let recorded: Buffer[] | undefined;
  const give = (session: Session): void => {
    const next = waiting.shift();
    if (next === undefined) idle.push(session);
    else next(session);
  };
  const take = async (): Promise<Session> =>
    idle.shift() ?? new Promise<Session>((resolve) => void waiting.push(resolve));
  for (let i = 0; i < sessions; i++) {
    const session = await Session.open(database);
    all.push(session);
    idle.push(session);
  }

  const serve = async (client: Socket): Promise<void> => {
    const frames = messages(client, true);
    const start = (await frames.next()).value;
    if (start === undefined) return;
    const names = start
      .subarray(8)
      .toString()
      .split('\0')
      .filter((_, i) => i % 2 === 0);
    if (!names.every((name) => name === '' || TAKEN.has(name))) return void client.end(REFUSAL);
    client.write(GREETING);
    let kept: Session | undefined;
    let group: Buffer[] = [];
    for await (const frame of frames) {
      const kind = String.fromCharCode(frame[0] ?? 0);
      if (kind === 'X') break;
      group.push(frame);
      if (kind !== 'S' && kind !== 'Q') continue;
      const bytes = Buffer.concat(group);
      group = [];
      trips += 1;
      recorded?.push(bytes);
      const session: Session = kept ?? (await take());
      const answer = await session.exchange(bytes);
      kept = answer.open ? session : undefined;
      if (kept === undefined) give(session);
      if (losing !== '' && bytes.includes(losing)) {
        losing = '';
        client.destroy();
        return;
      }
      client.write(answer.bytes);
    }
    if (kept !== undefined) {
      await kept.exchange(query('ROLLBACK'));
      give(kept);
    }
    client.end();
  };

  const server = createServer((client) => {
    clients.add(client);
    client.on('error', () => {}).on('close', () => clients.delete(client));
    serve(client).catch(() => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: database.url.replace(`:${database.port}/`, `:${port}/`),
    trips: () => trips,
    sent: async (run) => {
      const all: Buffer[] = [];
      recorded = all;
      try {
        await run();
      } finally {
        recorded = undefined;
      }
      return all;
    },
    loseAnswerTo: (text) => {
      losing = text;
    },
    stop: async () => {
      server.close();
      for (const client of clients) client.destroy();
      for (const session of all) session.close();
    },
  };
}

/** One session of the database, as the pooler has it. */
class Session {
  readonly #socket: Socket;
  readonly #frames: AsyncGenerator<Buffer, undefined>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#frames = messages(socket, false);
  }

  static async open({ port, password }: TestDatabase): Promise<Session> {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    const session = new Session(socket);
    socket.write(framed('', Buffer.from('\0\x03\0\0user\0keyhold\0database\0postgres\0application_name\0pooler\0\0')));
    await session.#frames.next();
    socket.write(framed('p', Buffer.from(`${password}\0`)));
    await session.#answer();
    return session;
  }

  exchange(bytes: Buffer): Promise<{ readonly bytes: Buffer; readonly open: boolean }> {
    this.#socket.write(bytes);
    return this.#answer();
  }

  close(): void {
    this.#socket.destroy();
  }

  async #answer(): Promise<{ readonly bytes: Buffer; readonly open: boolean }> {
    const frames: Buffer[] = [];
    for (;;) {
      const frame = (await this.#frames.next()).value;
      if (frame === undefined) throw new Error('the session ended');
      frames.push(frame);
      if (frame[0] === READY) return { bytes: Buffer.concat(frames), open: frame[5] !== IDLE };
    }
  }
}

const READY = 'Z'.charCodeAt(0);
const IDLE = 'I'.charCodeAt(0);

/** Messages of the protocol (PostgreSQL manual, 54.7): a kind, four bytes of length, the rest; the first has no kind. */
async function* messages(socket: Socket, startup: boolean): AsyncGenerator<Buffer, undefined> {
  let bytes: Buffer = Buffer.alloc(0);
  let kind = startup ? 0 : 1;
  for await (const chunk of socket) {
    bytes = Buffer.concat([bytes, chunk]);
    while (bytes.length >= kind + 4 && bytes.length >= kind + bytes.readInt32BE(kind)) {
      const end = kind + bytes.readInt32BE(kind);
      yield bytes.subarray(0, end);
      bytes = bytes.subarray(end);
      kind = 1;
    }
  }
  return undefined;
}

function framed(kind: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(kind), length, body]);
}

const query = (text: string): Buffer => framed('Q', Buffer.from(`${text}\0`));
const GREETING = Buffer.concat([
  framed('R', Buffer.alloc(4)),
  framed('K', Buffer.alloc(8)),
  framed('Z', Buffer.from('I')),
]);
const REFUSAL = framed('E', Buffer.from('SFATAL\0C08P01\0Munsupported startup parameter\0\0'));
