// H1: whether the time of a refused login tells who there is. Logins of a user or role that there is, of one that there is
// not and of one that is locked out, in turn; then Mann-Whitney's test of each two of them (Mann and Whitney, 1947).
//   node dist/bench/login-timing.js [approle|userpass] [logins of each]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configOf } from '../src/config.ts';
import { startServer } from '../src/server.ts';
import { Client } from '../test/attacks/support.ts';

const [method = 'approle', wanted = '5000'] = process.argv.slice(2);
const count = Number(wanted);
const ROOT = 'root-of-the-timing';

const data = mkdtempSync(join(tmpdir(), 'keyhold-timing-'));
const quiet = { info() {}, warn() {}, error: (sentence: string) => console.error(sentence) };
const server = await startServer(configOf({ dev: true, devRootTokenId: ROOT, data, listen: '127.0.0.1:0' }), quiet);
const client = new Client(server.address);
const root = { token: ROOT };

await client.expect(204, 'POST', `sys/auth/${method}`, { ...root, body: { type: method } });
// Whoever is only tried is never locked out, and who is stays so.
const lockout = { lockout_threshold: String(2), lockout_duration: '24h', lockout_counter_reset_duration: '1s' };
await client.expect(204, 'POST', `sys/auth/${method}/tune`, { ...root, body: { user_lockout_config: lockout } });

const path = (name: string): string => (method === 'approle' ? 'auth/approle/login' : `auth/userpass/login/${name}`);
const body = (name: string): object =>
  method === 'approle' ? { role_id: name, secret_id: 'wrong' } : { password: 'wrong' };
const make = (name: string) =>
  method === 'approle'
    ? client.expect(204, 'POST', `auth/approle/role/${name}`, { ...root, body: { role_id: name } })
    : client.expect(204, 'POST', `auth/userpass/users/${name}`, { ...root, body: { password: 'right' } });

/** Names, each tried once and of one length: so nobody that is tried is locked out by it. */
const nameOf = (kind: string, i: number): string => `${kind}-${String(i).padStart(6, '0')}`;
const LOCKED = nameOf('out', 0);
const KINDS = ['yes', 'not', 'out'] as const;

/** Milliseconds that a refused login takes. */
async function refused(name: string): Promise<number> {
  const begun = performance.now();
  const { status } = await client.send('POST', path(name), { token: undefined, body: body(name) });
  const millis = performance.now() - begun;
  if (status !== 400) throw new Error(`${status} instead of 400`);
  return millis;
}

// Of userpass a few users are made, as each takes a hash; each is tried less often than would lock it out, for the counter
// is reset after a second.
const users = method === 'approle' ? count : Math.min(count, 200);
for (let i = 0; i < users; i += 50) {
  await Promise.all(Array.from({ length: Math.min(50, users - i) }, (_, j) => make(nameOf('yes', i + j))));
}
await make(LOCKED);
for (let i = 0; i < 3; i++) await refused(LOCKED);

const times = { yes: [] as number[], not: [] as number[], out: [] as number[] };
for (let i = -100; i < count; i++) {
  // Each comes first as often as last.
  const order = KINDS.map((_, k) => KINDS[(k + Math.abs(i)) % KINDS.length] ?? 'yes');
  for (const kind of order) {
    const name = kind === 'out' ? LOCKED : nameOf(kind, Math.abs(i) % users);
    const millis = await refused(name);
    if (i >= 0) times[kind].push(millis);
  }
}

/** Two-sided p of the two samples being of one distribution, by the normal approximation. */
function mannWhitney(one: readonly number[], other: readonly number[]): number {
  const all = [...one.map((value) => ({ value, of: 0 })), ...other.map((value) => ({ value, of: 1 }))];
  all.sort((a, b) => a.value - b.value);
  let ranks = 0;
  for (let i = 0; i < all.length; ) {
    let j = i;
    while (j < all.length && all[j]?.value === all[i]?.value) j++;
    for (let k = i; k < j; k++) if (all[k]?.of === 0) ranks += (i + j + 1) / 2;
    i = j;
  }
  const [n, m] = [one.length, other.length];
  const z = (ranks - (n * (n + m + 1)) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
  return erfc(Math.abs(z) / Math.SQRT2);
}

/** Abramowitz and Stegun, 7.1.26. */
function erfc(x: number): number {
  const t = 1 / (1 + 0.3275911 * x);
  const sum = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
  return sum * Math.exp(-x * x);
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
for (const kind of KINDS) console.log(`${method}, ${kind}: median ${median(times[kind]).toFixed(4)} ms of ${count}`);
for (const [one, other] of [
  ['yes', 'not'],
  ['yes', 'out'],
  ['not', 'out'],
] as const) {
  console.log(`${one} and ${other}: p = ${mannWhitney(times[one], times[other]).toFixed(4)}`);
}
client.close();
await server.stop();
rmSync(data, { recursive: true, force: true });
