import assert from 'node:assert/strict';
import type { TestDatabase } from '../../src/storage/postgres/testing/server.ts';
import { at } from '../faults/client.ts';
import type { Cluster } from './cluster.ts';
import { type Node, type Reply, until } from './node.ts';

/** What the tests of this folder share: three nodes on one database. */
export interface Shared {
  readonly database: TestDatabase;
  readonly schema: string;
  readonly cluster: Cluster;
}

/** 503 with `Retry-After` and this sentence, and nothing else. */
export function assertAway(reply: Reply, sentence: RegExp): void {
  assert.equal(reply.status, 503, reply.text);
  assert.equal(reply.retryAfter, '1');
  assert.match(String(at(reply.json, 'errors', '0')), sentence);
}

/** Writes `value` as the next version of a secret; the number of that version. */
export async function write(node: Node, path: string, value: unknown): Promise<number> {
  return Number(at(await node.expect(200, 'POST', `secret/data/${path}`, { data: { value } }), 'data', 'version'));
}

/** The value of the latest version of a secret. */
export async function read(node: Node, path: string): Promise<unknown> {
  return at(await node.expect(200, 'GET', `secret/data/${path}`), 'data', 'data', 'value');
}

/** A policy of this text, and a token with it alone. */
export async function tokenWith(node: Node, name: string, policy: string, more: object = {}): Promise<string> {
  await node.expect(204, 'POST', `sys/policies/acl/${name}`, { policy });
  const made = await node.expect(200, 'POST', 'auth/token/create', {
    ...{ policies: [name], no_default_policy: true },
    ...more,
  });
  return String(at(made, 'auth', 'client_token'));
}

/** What tells the state; health, which may be some moments old, once it has this status. */
export async function told(node: Node, status: number): Promise<readonly Reply[]> {
  const health: Reply[] = [];
  const asking = until('health tells', async () => {
    health.unshift(await node.send('GET', 'sys/health'));
    return health[0]?.status === status;
  });
  const others = ['sys/seal-status', 'sys/init'].map((path) => node.send('GET', path));
  await asking;
  return [...health.slice(0, 1), ...(await Promise.all(others))];
}
