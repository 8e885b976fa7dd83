import { test } from 'node:test';
import { Client } from '../attacks/support.ts';
import { treesAtOnce } from '../attacks/trees-at-once.ts';
import type { Shared } from './shared.ts';

/** Uses and ends of tokens are of all nodes together. */
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
}
