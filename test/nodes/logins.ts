import { test } from 'node:test';
import { lockOut, logInAtOnce } from '../attacks/logins.ts';
import { Client } from '../attacks/support.ts';
import type { Shared } from './shared.ts';

/** Failures of logins, and the uses of secret ids, are counted over all nodes. */
export function logins(shared: () => Shared): void {
  for (const [what, attack] of [
    ['B4 failures under all spellings of a name, over all nodes, are one count', lockOut],
    ['B13 a secret id of five uses lets in five of 64 over all nodes', logInAtOnce],
  ] as const) {
    test(what, async () => {
      const { nodes, root } = shared().cluster;
      const clients = nodes.map(({ url }) => new Client(url.host));
      try {
        await attack(clients, root);
      } finally {
        for (const client of clients) client.close();
      }
    });
  }
}
