// What requests of and about tokens cost, in CPU time of one process without a socket, beside sys/health.
//
//   node --single-threaded-gc dist/bench/token-requests.js [--requests 8000]
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { configOf } from '../src/config.ts';
import { handle } from '../src/core/handle.ts';
import { requestOf } from '../src/core/testing.ts';
import { startServer } from '../src/server.ts';
import { at } from '../test/faults/client.ts';
import { machine, table } from './figures.ts';

const { values } = parseArgs({ options: { requests: { type: 'string', default: '8000' } } });
const REQUESTS = Number(values.requests);
const IN_FLIGHT = 16;
const GROUPS = 10;
const ROOT = 'root-of-the-figures';
const MAKER = 'path "auth/token/*" { capabilities = ["create", "read", "update", "sudo"] }';

const data = mkdtempSync(join(tmpdir(), 'keyhold-token-requests-'));
const silent = (): void => {};
const log = { info: silent, warn: silent, error: silent };
const server = await startServer(configOf({ dev: true, devRootTokenId: ROOT, listen: '127.0.0.1:0', data }), log);

async function call(method: string, path: string, token = ROOT, body?: unknown): Promise<string> {
  const sent = body === undefined ? '' : JSON.stringify(body);
  const reply = await handle(server.service, requestOf(method, `/v1/${path}`, [['x-service-token', token]], sent));
  assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.body}`);
  return String(reply.body ?? '');
}

const create = async (token: string, body: object, path = 'create'): Promise<string> =>
  String(at(JSON.parse(await call('POST', `auth/token/${path}`, token, body)), 'auth', 'client_token'));

/** A token that speaks for an entity in so many groups, each with a policy. */
async function member(groups: number): Promise<string> {
  await call('POST', 'auth/token/roles/member', ROOT, { allowed_policies: 'maker', allowed_entity_aliases: 'ada' });
  const token = await create(ROOT, { entity_alias: 'ada' }, 'create/member');
  const id = at(JSON.parse(await call('GET', 'auth/token/lookup-self', token)), 'data', 'entity_id');
  for (let i = 0; i < groups; i++) {
    const body = { name: `group-${i}`, policies: [`group-${i}`], member_entity_ids: [id] };
    await call('POST', 'identity/group', ROOT, body);
  }
  return token;
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

try {
  await call('POST', 'sys/policies/acl/maker', ROOT, { policy: MAKER });
  const maker = await create(ROOT, { policies: ['maker'], no_default_policy: true, no_parent: true });
  const grandchild = await create(await create(maker, {}), {});
  const looked: readonly (readonly [string, string])[] = [
    ['orphan', maker],
    ['two generations below it', grandchild],
    [`of an entity in ${GROUPS} groups`, await member(GROUPS)],
    ['batch, orphan', await create(maker, { type: 'batch', no_parent: true })],
    ['batch, two generations below an orphan', await create(await create(maker, {}), { type: 'batch' })],
  ];
  await measure('health', () => call('GET', 'sys/health'));
  for (const [what, token] of looked) {
    await measure(`lookup-self: ${what}`, () => call('GET', 'auth/token/lookup-self', token));
  }
  const policies = ['maker'];
  await measure('create an orphan', () => call('POST', 'auth/token/create', maker, { policies, no_parent: true }));
  await measure('create a child', () => call('POST', 'auth/token/create', maker, { policies }));
  await measure('create a batch token', () => call('POST', 'auth/token/create', maker, { policies, type: 'batch' }));
  const renewed: string[] = [];
  for (let i = 0; i < 4 * IN_FLIGHT; i++) renewed.push(await create(maker, { policies }));
  await measure('renew-self', (i) => call('POST', 'auth/token/renew-self', renewed[i % renewed.length], {}));
  console.log(`${table(rows)}\n\n${machine()}`);
} finally {
  await server.stop();
  rmSync(data, { recursive: true, force: true });
}
