import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** A network between a node and its database, which can be bad. */
export interface Network {
  readonly url: string;
  /** Each piece takes so long, in each direction. */
  delay(millis: number): void;
  /** Nothing goes through any more, and nobody is told: what a network does that loses packets. */
  stall(): void;
  /** What was held up goes on; later pieces are not held. */
  flow(): void;
  /** The next piece to the database that holds this text is kept back, with all that follow it, until `flow`. */
  holdAt(text: string): Promise<void>;
  stop(): void;
}

/** Connections to `url` by way of a port of its own. */
export async function startNetwork(url: string): Promise<Network> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let delay = 0;
  let gate: Promise<void> | undefined;
  let open = (): void => {};
  let trap: { readonly text: string; readonly caught: () => void } | undefined;
  const stall = (): void => {
    if (gate !== undefined) return;
    gate = new Promise((resolve) => {
      open = resolve;
    });
  };
  const carry = async (from: Socket, to: Socket, toDatabase: boolean): Promise<void> => {
    const pieces: Buffer[] = [];
    let end = false;
    let wake = (): void => {};
    from.on('data', (piece: Buffer) => {
      pieces.push(piece);
      wake();
    });
    // Whoever goes away behind a bad network is not seen to go: what it had sent still arrives.
    from.on('close', () => {
      end = true;
      wake();
    });
    for (;;) {
      const piece = pieces.shift();
      if (piece === undefined) {
        if (end) break;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      if (delay > 0) await pause(delay);
      if (toDatabase && trap !== undefined && piece.includes(trap.text)) {
        trap.caught();
        trap = undefined;
        stall();
      }
      await gate;
      to.write(piece);
    }
    await gate;
    to.end();
  };
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    void carry(client, database, true);
    void carry(database, client, false);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: url.replace(`:${target.port}/`, `:${port}/`),
    delay: (millis) => {
      delay = millis;
    },
    stall,
    flow: () => {
      gate = undefined;
      open();
    },
    holdAt: (text) =>
      new Promise((caught) => {
        trap = { text, caught };
      }),
    stop: () => {
      server.close();
      gate = undefined;
      open();
      for (const socket of sockets) socket.destroy();
    },
  };
}
