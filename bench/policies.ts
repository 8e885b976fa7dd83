// CPU time of requests under policies of ten and of 100,000 rules, in process on LMDB, and what compiling them takes.
//
//   node --single-threaded-gc dist/bench/policies.js [--rounds 7] [--requests 4000]
//
// Every round asks all tokens in turn; ratios to ten plain rules are taken within a round, then their median.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { configOf } from '../src/config.ts';
import { handle } from '../src/core/handle.ts';
import type { HttpRequest } from '../src/http/message.ts';
import { createLog } from '../src/log.ts';
import { startServer } from '../src/server.ts';
import { at } from '../test/faults/client.ts';
import { machine, median, table } from './figures.ts';

const text = { type: 'string' } as const;
const { values } = parseArgs({ options: { rounds: text, requests: text } });
const rounds = Number(values.rounds ?? 7);
const requests = Number(values.requests ?? 4_000);
const ROOT = 'root';
const RULES_OF_A_POLICY = 5_000;

const data = mkdtempSync(join(tmpdir(), 'keyhold-bench-'));
const log = createLog({ level: 'warn', format: 'text', write: (line) => process.stderr.write(line) });
const server = await startServer(configOf({ dev: true, devRootTokenId: ROOT, listen: '127.0.0.1:0', data }), log);

function requestOf(method: string, path: string, token: string, body?: unknown): HttpRequest {
  const lines = (name: string): readonly string[] => (name === 'x-service-token' ? [token] : []);
  return {
    method,
    target: `/v1/${path}`,
    headers: { lines, get: (name) => lines(name)[0] },
    body: Buffer.from(body === undefined ? '' : JSON.stringify(body)),
    peer: '127.0.0.1',
    secure: false,
  };
}

async function call(method: string, path: string, body?: unknown): Promise<unknown> {
  const { status, body: answer } = await handle(server.service, requestOf(method, path, ROOT, body));
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${String(answer)}`);
  return typeof answer === 'string' && answer !== '' ? JSON.parse(answer) : undefined;
}

/** A token of so many rules, in policies of five thousand each. */
async function tokenOf(name: string, count: number, rule: (i: number) => string): Promise<string> {
  const policies: string[] = [];
  for (let start = 0; start < count; start += RULES_OF_A_POLICY) {
    const rules = Array.from({ length: Math.min(RULES_OF_A_POLICY, count - start) }, (_, i) => rule(start + i));
    policies.push(`${name}-${policies.length}`);
    await call('POST', `sys/policies/acl/${policies.at(-1)}`, { policy: rules.join('\n') });
  }
  const created = await call('POST', 'auth/token/create', { policies, no_default_policy: true });
  return String(at(created, 'auth', 'client_token'));
}

const plain = (i: number): string => `path "secret/data/team${i}/*" { policy = "write" }`;
const mixed = (i: number): string =>
  [plain(i), `path "secret/+/team${i}/x" { policy = "read" }`, `path "kv/+/t${i}*" { policy = "read" }`][
    i % 3 === 0 ? 0 : i % 3
  ] ?? '';
const narrowed = (i: number): string =>
  `path "secret/data/team${i}/*" { policy = "write" allowed_parameters = { "version" = ["0", "1*"] "data" = [] } }`;
/** Every combination of `+` and letters in eight places: close to the most that a policy may hold. */
const crafted = (i: number): string => {
  const segments = Array.from({ length: 8 }, (_, bit) => (i & (1 << bit) ? '+' : 'a')).join('/');
  return i === 256 ? plain(0) : `path "secret/data/${segments}/z" { policy = "read" }`;
};

const SETS = [
  { name: 'ten rules', count: 10, rule: plain },
  { name: '100,000 rules', count: 100_000, rule: plain },
  { name: 'ten with + and *', count: 12, rule: mixed },
  { name: '100,000 with + and *', count: 100_000, rule: mixed },
  { name: 'ten on parameters', count: 10, rule: narrowed },
  { name: '100,000 on parameters', count: 100_000, rule: narrowed },
  { name: '256 crafted', count: 257, rule: crafted },
] as const;

const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** CPU of one request in µs: reads of ten secrets, one of each of ten teams, or as many as the set knows. */
async function measure(token: string, path: string): Promise<number> {
  const request = requestOf('GET', path, token);
  const start = cpu();
  for (let i = 0; i < requests; i += 1) await handle(server.service, request);
  return (cpu() - start) / requests;
}

try {
  await call('POST', 'secret/data/team0/a', { data: { value: 'x' } });
  const subjects: { name: string; token: string; path: string; compiled: number; costs: number[] }[] = [];
  for (const { name, count, rule } of SETS) {
    const token = await tokenOf(`set${subjects.length}`, count, rule);
    subjects.push({ name, token, path: 'secret/data/team0/a?version=0', compiled: 0, costs: [] });
  }
  subjects.push({
    name: '256 crafted, a miss',
    token: subjects.at(-1)?.token ?? '',
    path: `secret/data/${'a/'.repeat(8)}y`,
    compiled: 0,
    costs: [],
  });
  for (const subject of subjects) {
    const start = cpu();
    await handle(server.service, requestOf('GET', subject.path, subject.token));
    subject.compiled = (cpu() - start) / 1_000;
    await measure(subject.token, subject.path);
    // In turn with a small set, a large one must not be compiled again and again.
    for (let round = 0; round < rounds; round += 1) {
      const [ten] = subjects;
      if (ten === undefined) continue;
      const base = await measure(ten.token, ten.path);
      subject.costs.push((await measure(subject.token, subject.path)) / base, base);
    }
  }
  const every = (costs: readonly number[], odd: number): readonly number[] => costs.filter((_, i) => i % 2 === odd);
  console.log(machine());
  console.log(
    table([
      ['rules', 'compiled, ms', 'a KV read, × ten rules', 'ten rules, µs'],
      ...subjects.map(({ name, compiled, costs }) => [
        name,
        compiled.toFixed(1),
        median(every(costs, 0)).toFixed(2),
        median(every(costs, 1)).toFixed(1),
      ]),
    ]),
  );
} finally {
  await server.stop();
  rmSync(data, { recursive: true, force: true });
}
