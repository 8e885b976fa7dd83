import { test } from 'node:test';
import { Client } from '../attacks/support.ts';
import { treesAtOnce } from '../attacks/trees-at-once.ts';
import { at } from '../faults/client.ts';
import type { Shared } from './shared.ts';

/** Uses and ends of tokens are of all nodes together; what one node seals into a batch token the others open. */
export function trees(shared: () => Shared): void {
  test('B13 uses and ends of a tree of tokens hold of 64 at once over all nodes', async () => {
    const { nodes, root } = shared().cluster;
    const clients = nodes.map(({ url }) => new Client(url.host));
    try {
      await treesAtOnce(clients, root);
    } finally {
      for (const client of clients) client.close();
    }
  });

  test('a batch token is good on every node with its answer, also of a term that has just begun', async () => {
    const { nodes } = shared().cluster;
    for (const maker of nodes) {
      await maker.expect(204, 'POST', 'sys/rotate', {});
      const made = await maker.expect(200, 'POST', 'auth/token/create', { type: 'batch', policies: ['default'] });
      const token = String(at(made, 'auth', 'client_token'));
      for (const node of nodes) await node.expect(200, 'GET', 'auth/token/lookup-self', undefined, token);
    }
  });
}
