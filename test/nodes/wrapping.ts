import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unwrapAtOnce } from '../attacks/once.ts';
import { Client } from '../attacks/support.ts';
import { at } from '../faults/client.ts';
import { until } from './node.ts';
import type { Shared } from './shared.ts';
import { Table } from './table.ts';

/** What one node wraps another unwraps, once in all; a cubbyhole is the token's on every node, and goes with it. */
export function wrapping(shared: () => Shared): void {
  test('B13 of 64 who unwrap at once over all nodes exactly one gets the answer', async () => {
    const { nodes, root } = shared().cluster;
    const clients = nodes.map(({ url }) => new Client(url.host));
    try {
      await unwrapAtOnce(clients, root);
    } finally {
      for (const client of clients) client.close();
    }
  });

  test('a cubbyhole is there on every node, out of reach on all with the revocation, and then removed', async () => {
    const { database, schema, cluster } = shared();
    const [first, ...others] = cluster.nodes;
    assert.ok(first !== undefined);
    const made = await first.expect(200, 'POST', 'auth/token/create', { policies: ['root'], ttl: '1h' });
    const token = String(at(made, 'auth', 'client_token'));
    await first.expect(204, 'POST', 'cubbyhole/over-all-nodes', { a: 1 }, token);
    for (const node of others) {
      assert.deepEqual(at(await node.expect(200, 'GET', 'cubbyhole/over-all-nodes', undefined, token), 'data'), {
        a: 1,
      });
    }
    const table = new Table(database.url, schema);
    const stored = async (): Promise<number> =>
      (await table.keys('mount/')).filter((key) => key.endsWith('/over-all-nodes')).length;
    assert.equal(await stored(), 1);
    await cluster.node(1).expect(204, 'POST', 'auth/token/revoke', { token });
    for (const node of cluster.nodes) {
      assert.equal((await node.send('GET', 'cubbyhole/over-all-nodes', undefined, token)).status, 403);
    }
    await until('the cubbyhole is removed', async () => (await stored()) === 0);
  });
}
