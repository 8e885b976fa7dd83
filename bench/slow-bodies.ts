// Memory that slow senders take: connections that each announce a body, send a part of it, and then wait.
//
//   node dist/bench/slow-bodies.js [--connections 1000] [--announced 1048576] [--sent 16384]
//
// Linux only. What is announced costs nothing; what was sent is held, and counted against `bodies_in_flight_bytes`.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { HttpClient, ROOT } from '../test/faults/client.ts';
import { type Life, live } from '../test/faults/life.ts';
import { machine, memory, table } from './figures.ts';

const number = { type: 'string' } as const;
const { values } = parseArgs({ options: { connections: number, announced: number, sent: number } });
const [connections, announced, sent] = [
  Number(values.connections ?? 1_000),
  Number(values.announced ?? 1_048_576),
  Number(values.sent ?? 16_384),
];

async function sendSlowly(url: string): Promise<Socket> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port) });
  await once(socket, 'connect');
  socket.write(
    `POST /v1/secret/data/slow HTTP/1.1\r\nHost: a\r\nX-Service-Token: ${ROOT}\r\nContent-Length: ${announced}\r\n\r\n`,
  );
  socket.write(Buffer.alloc(sent, 0x20));
  return socket;
}

const own = (life: Life): number => life.workers().reduce((sum, pid) => sum + memory(pid).own, 0);

/** Milliseconds of one ordinary read meanwhile. */
async function readMillis(life: Life): Promise<number> {
  const client = new HttpClient(life.url);
  const began = performance.now();
  const { status } = await client.send({ method: 'GET', path: 'sys/mounts' });
  client.close();
  if (status !== 200) throw new Error(`a read meanwhile: ${status}`);
  return performance.now() - began;
}

const folder = mkdtempSync(join(tmpdir(), 'keyhold-slow-'));
const life = await live(join(folder, 'data'));
try {
  console.log(machine());
  await readMillis(life);
  const before = own(life);
  const sockets: Socket[] = [];
  for (let i = 0; i < connections; i += 50) {
    sockets.push(
      ...(await Promise.all(Array.from({ length: Math.min(50, connections - i) }, () => sendSlowly(life.url)))),
    );
  }
  await pause(500);
  const during = own(life);
  const millis = await readMillis(life);
  for (const socket of sockets) socket.destroy();
  await pause(500);
  const mib = (value: number): string => `${value.toFixed(1)} MiB`;
  const rows = [
    ['before', mib(before)],
    [`with ${connections} that sent ${sent} of ${announced} bytes`, mib(during)],
    ['of which they sent', mib((connections * sent) / 1_048_576)],
    ['after', mib(own(life))],
    ['a read meanwhile', `${millis.toFixed(1)} ms`],
  ];
  console.log(`\n${table([['memory of the worker', ''], ...rows])}`);
} finally {
  await life.end('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}
