import { describe, test } from 'node:test';
import { LOGIN_RACES } from '../attacks/login-races.ts';
import { Party } from '../attacks/party.ts';
import { Client } from '../attacks/support.ts';
import type { Shared } from './shared.ts';

/** Logins on all nodes at once, with each other and with what ends them. */
export function loginRaces(shared: () => Shared): void {
  describe('races of logins over all nodes', { concurrency: false }, () => {
    for (const [name, race] of LOGIN_RACES) {
      test(name, async () => {
        const { nodes, root } = shared().cluster;
        const clients = nodes.map(({ url }) => new Client(url.host));
        try {
          await race(new Party(clients, root));
        } finally {
          for (const client of clients) client.close();
        }
      });
    }
  });
}
