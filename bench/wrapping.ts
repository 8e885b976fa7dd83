// What wrapping and cubbyholes cost, in CPU time of one process without a socket, beside plain requests.
//
//   node --single-threaded-gc dist/bench/wrapping.js [--requests 8000]
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { configOf } from '../src/config.ts';
import { handle } from '../src/core/handle.ts';
import { requestOf } from '../src/core/testing.ts';
import { startServer } from '../src/server.ts';
import { machine, table } from './figures.ts';

const { values } = parseArgs({ options: { requests: { type: 'string', default: '8000' } } });
const REQUESTS = Number(values.requests);
const IN_FLIGHT = 16;
const ROOT = 'root-of-the-figures';
const VALUE = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`field_${i}`, 'x'.repeat(120)]));

const data = mkdtempSync(join(tmpdir(), 'keyhold-wrapping-'));
const silent = (): void => {};
const log = { info: silent, warn: silent, error: silent };
const server = await startServer(configOf({ dev: true, devRootTokenId: ROOT, listen: '127.0.0.1:0', data }), log);

interface Sent {
  readonly token?: string;
  readonly body?: unknown;
  readonly wrap?: boolean;
}

/** The wrapping token of the answer, where it is one. */
async function call(
  method: string,
  path: string,
  { token = ROOT, body, wrap }: Sent = {},
): Promise<string | undefined> {
  const headers = [['x-service-token', token] as const, ...(wrap ? [['x-service-wrap-ttl', '5m'] as const] : [])];
  const sent = body === undefined ? '' : JSON.stringify(body);
  const reply = await handle(server.service, requestOf(method, `/v1/${path}`, headers, sent));
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.body}`);
  return wrap ? /"wrap_info":\{"token":"([^"]+)"/.exec(String(reply.body))?.[1] : undefined;
}

const rows: string[][] = [['request', 'CPU µs']];

/** As many requests as were asked for, 16 at once; a quarter of them beforehand, uncounted. */
async function measure(what: string, one: (i: number) => Promise<unknown>): Promise<void> {
  let i = 0;
  const run = async (end: number): Promise<void> => {
    await Promise.all(
      Array.from({ length: IN_FLIGHT }, async () => {
        while (i < end) await one(i++);
      }),
    );
  };
  await run(REQUESTS / 4);
  const before = process.cpuUsage();
  await run((REQUESTS * 5) / 4);
  const { user, system } = process.cpuUsage(before);
  rows.push([what, ((user + system) / REQUESTS).toFixed(1)]);
}

let tokens: (string | undefined)[] = [];
const keep = async (i: number, made: Promise<string | undefined>): Promise<void> => {
  tokens[i] = await made;
};
const wrapping = (i: number): string => tokens[i] ?? assert.fail('nothing was wrapped');
const secret = (i: number): string => `secret/data/app/${i % 256}`;

await measure('durable write of a KV secret of 1 KiB', (i) => call('POST', secret(i), { body: { data: VALUE } }));
await measure('read of it', (i) => call('GET', secret(i)));
await measure('the same read, wrapped', (i) => keep(i, call('GET', secret(i), { wrap: true })));
await measure('look at a wrapping token', (i) => call('GET', 'sys/wrapping/lookup', { token: wrapping(i) }));
await measure('unwrap, by the wrapping token', (i) => call('POST', 'sys/wrapping/unwrap', { token: wrapping(i) }));
tokens = [];
await measure('wrap 1 KiB', (i) => keep(i, call('POST', 'sys/wrapping/wrap', { body: VALUE, wrap: true })));
await measure('unwrap, by another token', (i) => call('POST', 'sys/wrapping/unwrap', { body: { token: wrapping(i) } }));
await measure('write to a cubbyhole', (i) => call('POST', `cubbyhole/${i % 256}`, { body: VALUE }));
await measure('read from it', (i) => call('GET', `cubbyhole/${i % 256}`));

console.log(`${machine()}\n\n${table(rows)}`);
await server.stop();
rmSync(data, { recursive: true, force: true });
