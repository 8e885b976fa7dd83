// What logins cost, in CPU time of one process without a socket: one hash of a password, and the rest of the login beside
// sys/health; and how long a read waits while logins pour in.
//
//   node --single-threaded-gc dist/bench/logins.js [--requests 4000]
import { parseArgs } from 'node:util';
import { passwords } from '../src/auth/userpass/password.ts';
import { machine, quantile, table } from './figures.ts';
import { LoginServer } from './login-server.ts';

const { values } = parseArgs({ options: { requests: { type: 'string', default: '4000' } } });
const REQUESTS = Number(values.requests);
const IN_FLIGHT = 16;
const HASHES = 20;
const READS = 2_000;
/** Of a login without its hash, in multiples of sys/health. */
const BUDGET = 14;

async function inFlight(count: number, one: () => Promise<unknown>): Promise<void> {
  let left = count;
  await Promise.all(
    Array.from({ length: Math.min(count, IN_FLIGHT) }, async () => {
      while (left-- > 0) await one();
    }),
  );
}

/** CPU time of one in µs; a quarter of them beforehand, uncounted. */
async function cost(count: number, one: () => Promise<unknown>): Promise<number> {
  await inFlight(Math.ceil(count / 4), one);
  const before = process.cpuUsage();
  await inFlight(count, one);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

let names = 0;
const VALUE = 'x'.repeat(1024);
const server = await LoginServer.start(1_000_000);
await server.expect(200, 'POST', 'secret/data/a', { data: { value: 'x'.repeat(1024) } });
const read = (): Promise<string> => server.expect(200, 'GET', 'secret/data/a');

/** Milliseconds of reads, one after the other. */
async function reads(): Promise<readonly number[]> {
  const times: number[] = [];
  for (let i = 0; i < READS; i++) {
    const begun = performance.now();
    await read();
    times.push(performance.now() - begun);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return times;
}

try {
  console.log(machine());
  await reads();
  const quiet = await reads();
  let pouring = true;
  const flood = inFlight(IN_FLIGHT, async () => {
    while (pouring) await server.byPassword(400, 'ada', 'wrong');
  });
  const busy = await reads();
  pouring = false;
  await flood;
  const hash = await cost(HASHES, () => passwords.hash('right'));
  // From here on what is left of a login without its hash.
  passwords.check = async (password) => ({ matches: password === 'right', renewed: undefined });
  const health = await cost(REQUESTS * 10, () => server.expect(200, 'GET', 'sys/health'));
  const rows = [['login', 'CPU µs', 'ratio', 'budget']];
  for (const [what, one] of [
    ['by password, without the hash', () => server.byPassword(200, 'ada', 'right')],
    ['by password, refused, without the hash', () => server.byPassword(400, `nobody-${names++}`, 'wrong')],
    ['by role', () => server.byRole(200, server.roleId, server.secretId)],
    ['by role, refused', () => server.byRole(400, `nobody-${names++}`, 'wrong')],
    ['by role, refused, all of one name', () => server.byRole(400, 'nobody', 'wrong')],
    [
      'for comparison: a token created',
      () => server.expect(200, 'POST', 'auth/token/create', { policies: ['p'], ttl: '1h' }),
    ],
    [
      'for comparison: a write of KV',
      () => server.expect(200, 'POST', `secret/data/w-${names++}`, { data: { value: VALUE } }),
    ],
  ] as const) {
    const micros = await cost(REQUESTS, one);
    const ratio = micros / health;
    rows.push([
      what,
      micros.toFixed(1),
      `${ratio.toFixed(1)} × health`,
      ratio <= BUDGET ? 'kept' : `MISSED: ${BUDGET}`,
    ]);
  }
  console.log(table(rows));
  console.log(`one hash of a password: ${(hash / 1_000).toFixed(1)} ms of CPU; sys/health: ${health.toFixed(1)} µs`);
  for (const [what, times] of [
    ['alone', quiet],
    ['while logins by password pour in', busy],
  ] as const) {
    const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
    console.log(`a read of KV ${what}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`);
  }
} finally {
  await server.stop();
}
