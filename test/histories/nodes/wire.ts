import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Stands between a node and its database, and breaks what goes through. */
export interface Wire {
  readonly port: number;
  /** Ends all connections. */
  cut(): void;
  /** Lets nothing through for a while, then goes on as if nothing had been. */
  stall(millis: number): Promise<void>;
  /** Lets what is asked through, and none of the answers; then ends the connections. */
  mute(millis: number): Promise<void>;
  stop(): void;
}

interface Pair {
  readonly node: Socket;
  readonly database: Socket;
}

export async function startWire(databasePort: number): Promise<Wire> {
  const pairs = new Set<Pair>();
  let [stalled, muted] = [0, 0];
  const settle = ({ node, database }: Pair): void => {
    if (stalled > 0) node.pause();
    else node.resume();
    if (stalled > 0 || muted > 0) database.pause();
    else database.resume();
  };
  const settleAll = (): void => pairs.forEach(settle);
  const server = createServer((node) => {
    const database = connect(databasePort, '127.0.0.1');
    const pair = { node, database };
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      node.destroy();
      database.destroy();
    };
    for (const [from, to] of [
      [node, database],
      [database, node],
    ] as const) {
      from.setNoDelay(true).on('data', (bytes) => to.write(bytes));
      from.on('error', end).on('close', end);
    }
    settle(pair);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was free');
  const cut = (): void => {
    for (const { node, database } of [...pairs]) {
      node.destroy();
      database.destroy();
    }
  };
  return {
    port: address.port,
    cut,
    async stall(millis) {
      stalled += 1;
      settleAll();
      await pause(millis);
      stalled -= 1;
      settleAll();
    },
    async mute(millis) {
      muted += 1;
      settleAll();
      await pause(millis);
      cut();
      muted -= 1;
      settleAll();
    },
    stop() {
      server.close();
      cut();
    },
  };
}
